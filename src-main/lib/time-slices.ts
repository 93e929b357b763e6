/** Shares the main thread between computations and everything else: see `createTimeSlices`. */
export type TimeSlices = {
  /**
   * Carries out a short computation, at once if the present slice has time left, otherwise in a later slice. Computations
   * that wait take their turns in the order of their arrival.
   *
   * @throws the error of `work`.
   */
  run<Result>(work: () => Result): Promise<Result>
}

/** How long a busy service may put off the next slice. */
export const maxDelayMs = 20

/**
 * Creates time slices: in each turn of the event loop, all computations together take at most `sliceMs` milliseconds, and
 * one computation more. Network traffic is served between two turns.
 *
 * @param options.isBusy returns whether something more urgent is under way. The next slice then waits a little.
 * @param options.stopwatch milliseconds of a monotonic clock.
 */
export function createTimeSlices(options: {
  readonly sliceMs: number
  readonly isBusy: () => boolean
  readonly stopwatch?: () => number
}): TimeSlices {
  const { sliceMs, isBusy, stopwatch = () => performance.now() } = options
  const waiting: (() => void)[] = []
  /** When the present slice ends; null while none has begun in this turn. */
  let endsAt: number | null = null
  let endedAt = 0

  function hasTime(): boolean {
    if (endsAt !== null) return stopwatch() < endsAt
    endsAt = stopwatch() + sliceMs
    setImmediate(beginTurn)
    return true
  }

  function beginTurn(): void {
    if (endsAt !== null) endedAt = stopwatch()
    endsAt = null
    if (waiting.length === 0) return
    if (isBusy() && stopwatch() - endedAt < maxDelayMs) return void setTimeout(beginTurn, 1)
    while (waiting.length > 0 && hasTime()) waiting.shift()?.()
  }

  return {
    async run(work) {
      if (waiting.length === 0 && hasTime()) return work()
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
        })
      })
    },
  }
}
