import { createRecentKeys } from './recent-keys.ts'

const windowMs = 10 * 60 * 1000
const maxRemembered = 50_000

/** The signatures accepted lately, to tell exact repeats (decisions: exact repeats). */
export type Repeats = {
  /** Whether this signature was accepted within the last 10 minutes. `nowMs` in milliseconds since 1970. */
  has(signature: string, nowMs: number): boolean
  /** To be called once the event is durable, never before: a lost event must not block its retry. */
  remember(signature: string, nowMs: number): void
}

/**
 * A signature covers timestamp and body and is keyed by the connection's secret, so it alone identifies
 * a request, and nothing unsigned takes part. Of its 256 bits 64 are kept: enough that no two requests
 * ever meet by chance. Bounded: the oldest are forgotten first, all on restart.
 */
export function createRepeats(limit: number = maxRemembered): Repeats {
  const recent = createRecentKeys(limit)
  return {
    has(signature, nowMs) {
      const at = recent.timeOf(wordOf(signature, 0), wordOf(signature, 1))
      return at !== null && nowMs - at <= windowMs
    },
    remember: (signature, nowMs) => recent.add(wordOf(signature, 0), wordOf(signature, 1), nowMs),
  }
}

const digestStart = 'sha256='.length

/** The n-th 32 bits of a signature's digest. */
function wordOf(signature: string, n: number): number {
  const start = digestStart + n * 8
  return Number.parseInt(signature.slice(start, start + 8), 16)
}
