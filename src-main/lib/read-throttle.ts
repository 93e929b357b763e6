/** Gives turns to readers of bodies in tiny pieces, one at a time. */
export type ReadThrottle = ReturnType<typeof createReadThrottle>

/** Turns use at most a fifth (1 / 5) of the thread's time. */
const shareOfTurns = 5

/**
 * Throttles the reading of bodies in tiny pieces. Each piece costs one to two microseconds even if it is a single
 * byte, so a few such peers could occupy the thread. A reader that has used its share of pieces pauses its peer and
 * waits here for its next turn.
 *
 * @param everyMs milliseconds between two turns; more after a long turn, so that turns take at most a fifth of the
 *   thread's time even on a busy machine. The timer does not keep the process alive.
 */
export function createReadThrottle(everyMs: number) {
  const waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | null = null

  function next(): void {
    const startedAt = performance.now()
    waiting.shift()?.()
    // The reader's data is handled before the second setImmediate.
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
    /** Calls back when it is this reader's turn; never after a stop. */
    wait(goOn: () => void) {
      waiting.push(goOn)
      start(everyMs)
    },
    stop() {
      if (timer !== null) clearTimeout(timer)
      waiting.length = 0
    },
  }
}
