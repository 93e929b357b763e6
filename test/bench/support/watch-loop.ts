/**
 * Loaded before a service (`--import`). Answers each message of the parent process with the longest time for which the
 * event loop of the main thread was blocked since the message before, in milliseconds.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two looks at the clock. */
const resolution = 1

if (isMainThread && process.send !== undefined) {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  process.on('message', () => {
    // After the next look, so that the work that has just ended counts.
    setTimeout(() => {
      process.send?.(Math.max(0, delays.max / 1e6 - resolution))
      delays.reset()
    }, 2 * resolution)
  })
  // The service ends as it does without a parent.
  process.channel?.unref()
}
