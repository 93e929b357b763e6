type Throttle = {
  /** Calls back at once, or at the end of the running interval, once for all requests in it. */
  ask(): void
  /** Cancels the waiting call. */
  stop(): void
}

/**
 * Throttles a callback to at most one call per interval.
 *
 * @param intervalMs milliseconds. The timer does not keep the process alive.
 */
export function createThrottle(intervalMs: number, act: () => void): Throttle {
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
