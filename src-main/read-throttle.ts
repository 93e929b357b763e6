/** Lets bodies that come in tiny pieces go on one at a time. */
export type ReadThrottle = {
  /** Calls back when it is this reader's turn; not at all once stopped. */
  wait(goOn: () => void): void
  stop(): void
}

/**
 * Bounds the time that goes into bodies in tiny pieces, however many there are: each piece costs one to two
 * microseconds even if it is a single byte, so that a few such peers could keep the thread to themselves.
 * A reader that has had its share of pieces pauses its peer and waits here for its next turn.
 *
 * @param everyMs milliseconds between two turns; the timer keeps no process alive.
 */
export function createReadThrottle(everyMs: number): ReadThrottle {
  const waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | null = null

  function next(): void {
    timer = null
    const goOn = waiting.shift()
    if (waiting.length > 0) start()
    goOn?.()
  }
  function start(): void {
    timer ??= setTimeout(next, everyMs).unref()
  }

  return {
    wait(goOn) {
      waiting.push(goOn)
      start()
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
      waiting.length = 0
    },
  }
}
