import { ServiceError } from '#shared/errors.ts'

const largestLimit = 200

/** @throws ServiceError `invalid_input` for a page's limit that is not 1 to 200. */
export function requireLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > largestLimit)
    throw invalid('limit', 'Must be 1 to 200.')
}

export function invalid(path: string, message: string): ServiceError {
  return new ServiceError('invalid_input', { data: { issues: [{ path, message }] } })
}

export function unexpected(): TypeError {
  return new TypeError('A worker thread gave an answer of the wrong shape.')
}
