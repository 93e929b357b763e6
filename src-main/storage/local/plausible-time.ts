const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Milliseconds for which a clock that was set has to go on evenly before anything is deleted by it. */
export const clockSettleMs = 60 * minuteMs

/**
 * Tells the time by which records are deleted for their age. A clock that is wrong for a moment, ten years ahead
 * say, must not delete everything: after a jump of more than a minute, and at a start more than a day after
 * the newest record, the earlier time goes on until the clock has been steady for an hour.
 *
 * There is no bound on what one pass deletes: a shorter retention, and a service that was off for months, rightly
 * delete as much as a wrong clock would, so a bound would only spread the deletion out. The hour is the time in
 * which a clock is set right.
 */
export class PlausibleTime {
  readonly #monotonic
  /** Milliseconds from the monotonic clock to the accepted time, and to the one that is on trial. */
  #accepted = Number.NEGATIVE_INFINITY
  #candidate: number | null = null
  #candidateSince = 0
  readonly #newest
  readonly #settleMs

  /**
   * @param newest when the newest record was made, in milliseconds since 1970; null without any.
   * @param monotonic milliseconds of a clock that is never set.
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

  /** Returns the time to delete by, at `now` of the clock; negative infinity while there is none. */
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
