import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { unavailable } from '../../unavailable.ts'
import { isDamage } from './own-database.ts'

/** Returns the error for a database that cannot be used. @param problem such as `The history x cannot be used`. */
export function databaseFailure(problem: string, cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause
  if (!isDamage(cause)) return unavailable(problem, cause)
  return new ServiceError('damaged_data', { detail: `${problem}: ${messageOf(cause)}`, cause })
}
