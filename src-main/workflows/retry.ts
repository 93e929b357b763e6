import { z } from 'zod'
import { hourMs } from '#shared/durations.ts'
import type { CallErrorCode } from '#shared/errors/call.ts'
import type { CallError } from '#shared/model/call.ts'
import { maxAttempts } from '#shared/model/run.ts'

/** The delay before the second attempt. Each later delay is twice as long. The last attempt is about an hour after the first. */
const firstDelayMs = 28_000
const jitter = 0.2

/** The longest `Retry-After` that is waited for. A receiver must not stop an ordered workflow for days. */
const maxRetryAfterMs = hourMs

/**
 * Returns the delay before the next attempt in milliseconds; null if no further attempt follows.
 *
 * @param attempts how many attempts have failed.
 * @param random from 0 to 1, spreads the attempts of runs that failed together.
 * @param retryAfterMs how long the receiver asked to wait at least; at most an hour of that counts.
 */
export function retryDelay(attempts: number, random: number, retryAfterMs = 0): number | null {
  if (attempts >= maxAttempts) return null
  const backoff = firstDelayMs * 2 ** (attempts - 1) * (1 + jitter * (2 * random - 1))
  return Math.round(Math.max(backoff, Math.min(retryAfterMs, maxRetryAfterMs) * (1 + jitter * random)))
}

const transient: ReadonlySet<string> = new Set<CallErrorCode>([
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns_failure',
  'tls_error',
  'network_error',
])

const TokenFailure = z.object({ status: z.int().nullable(), error: z.string().nullable() })

/** Returns the same for a call with an error. Without a token, the answer of the token server decides. */
export function isRetriableError({ code, data }: CallError, status: number | null): boolean {
  const failure = code === 'token_unavailable' ? TokenFailure.safeParse(data).data : undefined
  return failure === undefined ? isRetriable(code, status) : isRetriable(failure.error, failure.status)
}

/** Returns whether a failed call may succeed later: it got no response, or the status 408, 429 or 5xx. */
export function isRetriable(code: string | null, status: number | null): boolean {
  if (status !== null) return status === 408 || status === 429 || status >= 500
  return code !== null && transient.has(code)
}
