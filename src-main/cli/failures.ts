import { errnoOf } from '#main/lib/file-system.ts'
import { type ErrorCode, type ErrorData, ServiceError } from '#shared/errors.ts'

/** Thrown when the result, already printed, is a failure: the exit status is 1 and there is no more to say. */
export class CommandFailed extends Error {}

export type Failure = {
  readonly code: ErrorCode
  readonly message: string
  /** As REST answers it. */
  readonly data: ErrorData | null
  readonly stack: string | null
}

/** What to say of an error; with its stack where it is a mistake in this program. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const issues = error.data?.issues.map(({ path, message }) => `${path}: ${message}`) ?? []
    const message = [error.message, ...issues].join(' ')
    return { code: error.code, message, data: error.data ?? null, stack: null }
  }
  const code = 'internal_error'
  if (!(error instanceof Error)) return { code, message: String(error), data: null, stack: null }
  // An address that is not this machine's, a file that cannot be read: the system's sentence says it.
  const stack = errnoOf(error) === null ? (error.stack ?? null) : null
  return { code, message: error.message, data: null, stack }
}
