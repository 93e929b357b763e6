/**
 * Milliseconds in which a second signal counts as the first one again: with Ctrl-C the terminal signals the
 * whole group of processes, and npm passes its own on.
 */
const sameSignalWithin = 250

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once, with status 1. */
export function untilStopSignal(): Promise<void> {
  return new Promise(resolve => {
    let firstAt: number | null = null
    const onSignal = () => {
      if (firstAt === null) {
        firstAt = performance.now()
        resolve()
      } else if (performance.now() - firstAt > sameSignalWithin) process.exit(1)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
