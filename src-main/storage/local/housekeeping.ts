import { createHousekeeping, type Housekeeping } from '../housekeeping.ts'

/** Creates the housekeeping of a data folder, which one process holds. @param onError receives errors of steps. */
export function localHousekeeping(onError: (error: unknown) => void): Housekeeping {
  const running = new Set<string>()
  return createHousekeeping(async (name, run) => {
    if (running.has(name)) return
    running.add(name)
    try {
      await run()
    } finally {
      running.delete(name)
    }
  }, onError)
}
