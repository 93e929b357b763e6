/** Lets something happen as often as it is asked for, but not more than once in an interval. */
export type Pace = {
  /** At once, or at the end of the interval that runs, once for all who asked in it. */
  ask(): void
  /** Lets nothing that was asked for happen any more. */
  stop(): void
}

/** @param intervalMs milliseconds between two times; the timer keeps no process alive. */
export function createPace(intervalMs: number, act: () => void): Pace {
  let timer: NodeJS.Timeout | null = null
  let asked = false

  function run(): void {
    asked = false
    timer = setTimeout(rest, intervalMs)
    timer.unref()
    act()
  }
  function rest(): void {
    timer = null
    if (asked) run()
  }

  return {
    ask() {
      if (timer === null) run()
      else asked = true
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
      asked = false
    },
  }
}
