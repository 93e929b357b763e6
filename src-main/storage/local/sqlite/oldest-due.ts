import type { DatabaseSync } from 'node:sqlite'
import { timeOfSequence } from '#main/lib/sequence.ts'
import type { TimeSlices } from '#main/lib/time-slices.ts'
import { state } from '../../rows/run-rows.ts'
import { integer, toStored } from '../../rows/stored-text.ts'
import { endOf, type Member, recordAt } from './fan-out-list.ts'
import type { Lane, Lanes } from './lanes.ts'

/**
 * Creates a function that returns since when the run is due that has waited longest; null if none is due. Events are
 * written between two lanes.
 */
export function createOldestDue(database: DatabaseSync, lanes: Lanes, slices: TimeSlices) {
  const started = database.prepare(
    'SELECT queued_at AS at FROM runs WHERE lane = ? AND state = ? AND state < 2 AND due_at = 0 ORDER BY id LIMIT 1',
  )
  const delayed = database.prepare(`
    SELECT due_at AS at FROM runs WHERE lane = ? AND state = ? AND state < 2 AND due_at > 0 AND due_at <= ?
    ORDER BY due_at LIMIT 1`)

  /** Returns the time of a lane; infinity if none of its runs is due. */
  function oldestOf({ key, counts: [waiting, retrying], members }: Lane, now: number): number {
    const lane = toStored(key)
    // The others wait for the retry.
    const isBlocked = lanes.limitOf(key) === 'ordered' && retrying > 0
    const rows = [
      ...(waiting > 0 && !isBlocked
        ? [started.get(lane, state.waiting), delayed.get(lane, state.waiting, now)]
        : []),
      ...(retrying > 0 ? [delayed.get(lane, state.retrying, now)] : []),
    ]
    const times = rows.flatMap(row => (row === undefined ? [] : integer(row.at)))
    return Math.min(...times, ...(isBlocked ? [] : Array.from(members, oldestPending)))
  }

  return async (now: number): Promise<number | null> => {
    let oldest = Number.POSITIVE_INFINITY
    for (const lane of [...lanes.all()])
      oldest = await slices.run(() =>
        lanes.mostRunning(lane.key) === 0 ? oldest : Math.min(oldest, oldestOf(lane, now)),
      )
    return Number.isFinite(oldest) ? oldest : null
  }
}

/** Returns when the oldest pending run of a fan-out's workflow was queued; infinity without one. */
function oldestPending({ list, early, next }: Member): number {
  for (let position = next; position < endOf(list); position++) {
    const record = recordAt(list, position)
    if (!early.has(record)) return timeOfSequence(record)
  }
  return Number.POSITIVE_INFINITY
}
