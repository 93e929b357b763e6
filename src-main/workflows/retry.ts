import type { CallErrorCode } from '#shared/errors/call.ts'
import { maxAttempts } from '#shared/model/run.ts'

/** Before the second attempt; each later one waits twice as long. The last is about an hour after the first. */
const firstDelayMs = 28_000
const jitter = 0.2

/**
 * Returns how long to wait before the next attempt, in milliseconds; null where there is none
 * (decisions: Workflows, runs).
 *
 * @param attempts how many have failed.
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

/** Returns whether a failed call may succeed later: it had no answer, or one of 408, 429 and 5xx. */
export function isRetriable(code: string | null, status: number | null): boolean {
  if (status !== null) return status === 408 || status === 429 || status >= 500
  return code !== null && transient.has(code)
}
