import { ServiceError } from '#shared/errors.ts'

/** What the framework refuses has no code of the catalogue; its status says which one is meant. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (status === 413) return new ServiceError('body_too_large')
  if (status === 415) return new ServiceError('unsupported_media_type')
  // A path that names no file, or a file in a roundabout way.
  if (status === 403 || status === 404) return new ServiceError('no_such_path')
  if (typeof status === 'number' && status < 500) return new ServiceError('invalid_input')
  return new ServiceError('internal_error')
}
