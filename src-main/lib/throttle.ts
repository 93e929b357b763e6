/**
 * Throttles a callback to at most one call per interval.
 *
 * @param intervalMs milliseconds, or a function that returns them before each call. The timer does not keep the process
 *   alive.
 */
export function createThrottle(intervalMs: number | (() => number), act: () => void) {
  let timer: NodeJS.Timeout | null = null
  let asked = false

  function run(): void {
    asked = false
    timer = setTimeout(rest, typeof intervalMs === 'number' ? intervalMs : intervalMs())
    timer.unref()
    act()
  }
  function rest(): void {
    timer = null
    if (asked) run()
  }

  return {
    /** Calls back at once, or at the end of the running interval, once for all requests in it. */
    ask() {
      if (timer === null) run()
      else asked = true
    },
    /** Cancels the waiting call. */
    stop() {
      if (timer !== null) clearTimeout(timer)
      asked = false
    },
  }
}
