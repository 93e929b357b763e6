import { ServiceError } from '#shared/errors.ts'

/** @param detail what is wrong with the file, as one sentence. */
export function damaged(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('damaged_backup', { detail, cause })
}
