/** How many wrong answers an address gets in a window before it is told to wait. */
const maxAttempts = 20
/** Milliseconds. */
const windowMs = 60_000
/** Addresses counted at a time: an attacker with more of them gains nothing but forgotten counts. */
const maxAddresses = 1000

type Count = { readonly startedAt: number; attempts: number }
type Verdict = {
  readonly isOver: boolean
  /** True for one attempt in each window. */
  readonly isFirstOver: boolean
  /** Seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number
}

export type AttemptLimit = {
  /** Counts a failed attempt of an address. */
  count(address: string): Verdict
}

/** Limits failed attempts to 20 a minute for each address (fixed window), in bounded memory. */
export function createAttemptLimit(clock: () => number): AttemptLimit {
  const counts = new Map<string, Count>()
  return {
    count(address) {
      const now = clock()
      const known = counts.get(address)
      // A clock that was set back must not make a window last longer.
      const isCurrent = known !== undefined && known.startedAt <= now && now < known.startedAt + windowMs
      const current = isCurrent ? known : { startedAt: now, attempts: 0 }
      current.attempts++
      if (!isCurrent) {
        // In the order of their windows' starts, so that the oldest is the first to be forgotten.
        counts.delete(address)
        counts.set(address, current)
        const [oldest] = counts.keys()
        if (counts.size > maxAddresses && oldest !== undefined) counts.delete(oldest)
      }
      return {
        isOver: current.attempts > maxAttempts,
        isFirstOver: current.attempts === maxAttempts + 1,
        retryAfterSeconds: Math.max(1, Math.ceil((current.startedAt + windowMs - now) / 1000)),
      }
    },
  }
}
