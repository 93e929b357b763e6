import type { Housekeeping } from '../housekeeping.ts'

/** Creates the housekeeping of a data folder, which one process holds. @param onError receives errors of steps. */
export function localHousekeeping(onError: (error: unknown) => void): Housekeeping {
  const running = new Set<string>()
  return {
    every({ name, everyMs, retryMs }, run) {
      let isStopped = false
      let timer: NodeJS.Timeout | undefined
      let current = Promise.resolve()

      async function turn(): Promise<void> {
        if (running.has(name)) return later(everyMs)
        running.add(name)
        let ms = everyMs
        try {
          await run()
        } catch (error) {
          ms = Math.max(everyMs, retryMs)
          onError(error)
        } finally {
          running.delete(name)
        }
        later(ms)
      }

      function later(ms: number): void {
        if (isStopped) return
        timer = setTimeout(() => {
          current = turn()
        }, ms)
        timer.unref()
      }

      later(everyMs)
      return () => {
        isStopped = true
        clearTimeout(timer)
        return current
      }
    },
  }
}
