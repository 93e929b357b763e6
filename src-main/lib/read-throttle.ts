/** Lets bodies that come in tiny pieces go on one at a time. */
export type ReadThrottle = {
  /** Calls back when it is this reader's turn; not at all once stopped. */
  wait(goOn: () => void): void
  stop(): void
}

/** One part in so many of the thread's time. */
const shareOfTurns = 5

/**
 * Bounds the time that goes into bodies in tiny pieces, however many there are: each piece costs one to two
 * microseconds even if it is a single byte, so that a few such peers could keep the thread to themselves.
 * A reader that has had its share of pieces pauses its peer and waits here for its next turn.
 *
 * @param everyMs milliseconds between two turns, and more after a turn that kept the thread for long: turns take
 *   at most a fifth of its time, on a busy machine too. The timer keeps no process alive.
 */
export function createReadThrottle(everyMs: number): ReadThrottle {
  const waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | null = null

  function next(): void {
    const startedAt = performance.now()
    waiting.shift()?.()
    // What the reader now reads is handled before the second of these.
    setImmediate(() =>
      setImmediate(() => {
        const tookMs = performance.now() - startedAt
        timer = null
        if (waiting.length > 0) start(Math.max(everyMs, (shareOfTurns - 1) * tookMs))
      }),
    )
  }
  function start(afterMs: number): void {
    timer ??= setTimeout(next, afterMs).unref()
  }

  return {
    wait(goOn) {
      waiting.push(goOn)
      start(everyMs)
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
      waiting.length = 0
    },
  }
}
