import type { LeftOut, NewKey } from './run-rows.ts'

/**
 * Decides about the new keys of a batch, one after another. Returns what the batch must leave out, because a key is kept
 * already; null for nothing.
 *
 * @param keep keeps a key. Returns the run or the event that has it already, 0 if that is not known; null if nothing has.
 */
export function keepEachNew(keys: readonly NewKey[], keep: (key: NewKey) => number | null): LeftOut | null {
  const events = new Map<number, number>()
  const runs = new Map<number, number>()
  const duplicates = new Map<number, number>()
  for (const key of keys) {
    const { run, event, runs: ofEvent = [], others = [] } = key
    if ((event !== null && events.has(event)) || (run !== null && runs.has(run))) continue
    const kept = keep(key)
    if (kept === null) continue
    if (run === null) {
      events.set(event ?? -1, kept)
      for (const one of others) events.set(one, kept)
      for (const one of ofEvent) runs.set(one, kept)
    } else {
      runs.set(run, kept)
      if (event !== null && !duplicates.has(event)) duplicates.set(event, kept)
    }
  }
  return events.size + runs.size === 0 ? null : { events, runs, duplicates }
}
