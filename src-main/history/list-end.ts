import type { ConnectionRecord } from '#main/storage/config.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import { dayMs } from '#shared/durations.ts'
import type { ListEnd } from '#shared/model/activity.ts'
import type { Activity } from './activity.ts'
import type { History } from './history.ts'
import { kinds, type StoredKind } from './kinds.ts'
import { eventFilter, everything, mayBeEvents, recordFilter, storedTypes, type Wanted } from './wanted.ts'

type Parts = {
  readonly log: Pick<EventLog, 'countBetween'>
  readonly history: Pick<History, 'count'>
  readonly activity: Pick<Activity, 'wholeSince'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Creates the function that returns why nothing older follows in a list. */
export function createListEnd({
  log,
  history,
  activity,
  clock,
}: Parts): (wanted: Wanted) => Promise<ListEnd> {
  /** Returns whether a connection is old enough for what is kept so many days to have been deleted. */
  const isOlder = ({ createdAt }: ConnectionRecord, days: number) =>
    clock() - Date.parse(createdAt) > days * dayMs

  /** Returns the connections that may have lost events of their log to its limits. */
  async function pruned(wanted: Wanted): Promise<readonly ConnectionRecord[]> {
    if (eventFilter(wanted) === null) return []
    const logging = wanted.connections.filter(({ persistEvents }) => persistEvents)
    const old = logging.filter(one => isOlder(one, one.retention.maxDays))
    if (old.length > 0 || logging.length === 0) return old
    const countOf = (connections: readonly ConnectionRecord[]) =>
      log.countBetween({ ...everything, connectionIds: connections.map(one => one.connectionId) })
    // Mostly even all together have fewer, so that they need not be counted one by one.
    const all = await countOf(logging)
    const isFull = async (one: ConnectionRecord) =>
      all >= one.retention.maxEvents && (await countOf([one])) >= one.retention.maxEvents
    const areFull = await Promise.all(logging.map(isFull))
    return logging.filter((_, index) => areFull[index])
  }

  /** Returns the kinds of records of which a connection, or the service, may have lost some to their limits. */
  async function prunedKinds(wanted: Wanted): Promise<readonly StoredKind[]> {
    const { kinds: all = [], connectionIds = [] } = recordFilter(wanted) ?? {}
    const each = connectionIds ?? [null, ...wanted.connections.map(one => one.connectionId)]
    const full = async (some: readonly StoredKind[], ids: Wanted['connectionIds']) => {
      if (some.length === 0) return []
      const { counts } = await history.count({ ...everything, kinds: some, connectionIds: ids })
      return some.filter(kind => {
        const { name, most } = kinds[kind].stored
        return counts.reduce((sum, one) => sum + (one.kind === name ? one.count : 0), 0) >= most
      })
    }
    const found = new Set(
      all.filter(kind => wanted.connections.some(one => isOlder(one, kinds[kind].stored.maxAgeMs / dayMs))),
    )
    const young = all.filter(kind => !found.has(kind))
    let open = await full(young, connectionIds)
    for (const id of each) {
      if (open.length === 0) break
      for (const kind of await full(open, [id])) found.add(kind)
      open = open.filter(kind => !found.has(kind))
    }
    return all.filter(kind => found.has(kind))
  }

  /** Returns how long and how many of each kind are kept, where some may have been deleted. */
  async function lossesOf(wanted: Wanted): Promise<NonNullable<ListEnd['kept']>> {
    const [connections, ofRecords] = await Promise.all([pruned(wanted), prunedKinds(wanted)])
    const retentions = connections.map(({ retention }) => retention)
    const events = {
      kinds: storedTypes.filter(type => wanted.types.has(type)),
      days: Math.min(...retentions.map(({ maxDays }) => maxDays)),
      count: Math.min(...retentions.map(({ maxEvents }) => maxEvents)),
    }
    return [
      ...(retentions.length > 0 ? [events] : []),
      ...ofRecords.map(kind => {
        const { most, maxAgeMs } = kinds[kind].stored
        return { kinds: [kind], days: maxAgeMs / dayMs, count: most }
      }),
    ]
  }

  /**
   * Returns whether events may have been in memory only, and be gone. They leave no trace, and neither do earlier
   * settings, so after a restart only a connection that was never changed is certain to have logged them all.
   */
  function mayHaveForgotten({ connections, types, filters }: Wanted): boolean {
    if (!mayBeEvents(filters)) return false
    const hasEvents = storedTypes.some(type => types.has(type))
    const hasRepeats = types.has('event.repeated')
    return connections.some(({ createdAt, updatedAt, persistEvents, ignoreRepeats }) => {
      if (Date.parse(createdAt) >= activity.wholeSince()) return false
      const isChanged = updatedAt !== createdAt
      return (hasEvents && (isChanged || !persistEvents)) || (hasRepeats && (isChanged || ignoreRepeats))
    })
  }

  return async wanted => {
    const kept = await lossesOf(wanted)
    const [only] = kept
    if (only === undefined) return { reason: mayHaveForgotten(wanted) ? 'memory' : 'start' }
    const one = kept.length === 1 ? { keptDays: only.days, keptCount: only.count } : {}
    return { reason: 'retention', ...one, kept }
  }
}
