import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How late the event loop was, in seconds, by quantile. */
type LoopDelay = readonly (readonly [quantile: number, seconds: number])[]

/** Watches the process itself. */
export type ProcessWatch = ReturnType<typeof watchProcess>

/** Milliseconds between two samples of the event loop. */
const resolution = 20
const quantiles = [0.5, 0.99, 1]

/** Starts to watch the event loop, which costs one timer. */
export function watchProcess() {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  return {
    /** Returns the delays since the last call, without the time between samples; empty before the first sample. */
    loopDelay(): LoopDelay {
      if (delays.count === 0) return []
      const read = quantiles.map(quantile => {
        const nanoseconds = quantile === 1 ? delays.max : delays.percentile(quantile * 100)
        return [quantile, Math.max(0, nanoseconds / 1e9 - resolution / 1e3)] as const
      })
      delays.reset()
      return read
    },
    /** Returns the CPU time of all threads in seconds. */
    cpuSeconds() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
    residentBytes: () => process.memoryUsage.rss(),
    /** Returns how many files and sockets are open; null where the system does not tell. */
    openFiles: async () => (process.platform === 'linux' ? (await readdir('/proc/self/fd')).length : null),
    stop: () => void delays.disable(),
  }
}
