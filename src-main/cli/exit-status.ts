import { ServiceError } from '#shared/errors.ts'

/** Exit statuses besides 0 and 1: wrong usage, and no answer of the service or of the receiver. */
export const wrongUsage = 2
export const unreachable = 4

/**
 * Returns the exit status of an error of a command that tests a receiver. A wrong name or wrong arguments are wrong
 * usage: they say nothing of the receiver.
 */
export function statusOf(error: unknown): number {
  if (!(error instanceof ServiceError)) return 1
  if (error.code === 'service_not_running') return unreachable
  return error.status >= 400 && error.status < 500 ? wrongUsage : 1
}
