import type { CallErrorCode } from '#shared/errors/call.ts'
import { maxAttempts } from '#shared/model/run.ts'

/** The delay before the second attempt. Each later delay is twice as long. The last attempt is about an hour after the first. */
const firstDelayMs = 28_000
const jitter = 0.2

/**
 * Returns the delay before the next attempt in milliseconds; null if no further attempt follows.
 *
 * @param attempts how many attempts have failed.
 * @param random from 0 to 1, spreads the attempts of runs that failed together.
 */
export function retryDelay(attempts: number, random: number): number | null {
  if (attempts >= maxAttempts) return null
  return Math.round(firstDelayMs * 2 ** (attempts - 1) * (1 + jitter * (2 * random - 1)))
}

const transient: ReadonlySet<string> = new Set<CallErrorCode>([
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns_failure',
  'tls_error',
  'network_error',
])

/** Returns whether a failed call may succeed later: it got no response, or the status 408, 429 or 5xx. */
export function isRetriable(code: string | null, status: number | null): boolean {
  if (status !== null) return status === 408 || status === 429 || status >= 500
  return code !== null && transient.has(code)
}
