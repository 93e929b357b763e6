import { dayMs, minuteMs } from '#shared/durations.ts'
/** Milliseconds for which a clock must run evenly after a jump before anything is deleted by it. */
export const clockSettleMs = 60 * minuteMs

/**
 * Computes the time by which records are deleted for their age. A clock that is wrong for a moment, for example ten
 * years ahead, must not delete everything. So after a jump of more than a minute, and at a start more than a day after
 * the newest record, the earlier time continues until the clock has run evenly for an hour.
 *
 * One pass may delete any number of records: a shorter retention, or a service that was off for months, rightly deletes
 * as much as a wrong clock would, so a bound would only spread the deletion out. An hour is enough to correct a clock.
 */
export class PlausibleTime {
  readonly #monotonic
  /** Milliseconds from the monotonic clock to the accepted time, and to the one that is being tried. */
  #accepted = Number.NEGATIVE_INFINITY
  #candidate: number | null = null
  #candidateSince = 0
  readonly #newest
  readonly #settleMs

  /**
   * @param newest time of the newest record, in milliseconds since 1970; null for none.
   * @param monotonic milliseconds of a clock that never jumps.
   */
  constructor(
    newest: number | null,
    settleMs: number = clockSettleMs,
    monotonic: () => number = () => performance.now(),
  ) {
    this.#settleMs = settleMs
    this.#newest = newest
    this.#monotonic = monotonic
  }

  /** Returns the time to delete by when the clock shows `now`; negative infinity while there is none. */
  at(now: number): number {
    const elapsed = this.#monotonic()
    const offset = now - elapsed
    if (this.#candidate === null) {
      this.#candidate = offset
      this.#candidateSince = elapsed
      if (this.#newest === null || now - this.#newest <= dayMs) this.#accepted = offset
    }
    if (Math.abs(offset - this.#candidate) > minuteMs) {
      this.#candidate = offset
      this.#candidateSince = elapsed
    }
    if (elapsed - this.#candidateSince >= this.#settleMs) this.#accepted = this.#candidate
    return Math.min(this.#accepted, offset) + elapsed
  }
}
