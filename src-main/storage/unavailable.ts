import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'

/** Whether something failed because the storage cannot be used at present, or may not be used by this process. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'storage_unavailable'
}

/** Returns the error for a problem with the disk. @param problem such as `The folder x cannot be read`. */
export function unavailable(problem: string, cause: unknown): ServiceError {
  return new ServiceError('storage_unavailable', { detail: `${problem}: ${messageOf(cause)}`, cause })
}
