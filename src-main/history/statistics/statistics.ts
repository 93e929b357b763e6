import { createBus } from '#main/lib/bus.ts'
import { isKept } from '#main/storage/config.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { dayMs } from '#shared/durations.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { kindOf, type Occurrence } from '../kinds.ts'
import { type ConnectionCounts, createConnectionCounts, type Glance } from './connection-counts.ts'
import { hourOf } from './hour-table.ts'
import type { SavedStatistics } from './statistics-file.ts'

/** The last 24 hours of every connection, for the dashboard only. */
export type Statistics = ReturnType<typeof createStatistics>

type StatisticsParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  /** Runs a skipped diagnosis if the rate limit allows it now. */
  readonly diagnose: (attemptId: string) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
  /** The counts from before a restart; null for none. */
  readonly saved: SavedStatistics | null
}

const quiet: Glance = { accepted: 0, rejectedNow: 0, lastEventAt: 0, lastEventName: '' }

export function createStatistics({ store, diagnose, clock, onError, saved }: StatisticsParts) {
  const began = saved?.since ?? clock()
  /** Publishes the id of a connection whose statistics have changed. */
  const changes = createBus<string>(onError)
  const nothing = createConnectionCounts()
  const connections = new Map<string, ConnectionCounts>()
  const exists = (connectionId: string) => isKept(store.snapshot(), connectionId)
  for (const { connectionId, ...counts } of saved?.connections ?? [])
    if (exists(connectionId)) connections.set(connectionId, createConnectionCounts(counts))

  /** Returns null for a connection that was deleted in the meantime. */
  function countsOf(connectionId: string): ConnectionCounts | null {
    const known = connections.get(connectionId)
    if (known !== undefined) return known
    if (!exists(connectionId)) return null
    const counts = createConnectionCounts()
    connections.set(connectionId, counts)
    return counts
  }

  /** Counts an occurrence, as its kind says. */
  function add(occurrence: Occurrence): void {
    const { connectionId, at } = occurrence
    // What comes more than a day late is not of the last 24 hours.
    if (connectionId === null || hourOf(at) <= hourOf(clock()) - hoursShown) return
    const counts = countsOf(connectionId)
    if (counts !== null && kindOf(occurrence).count(occurrence, counts)) changes.publish(connectionId)
  }

  /** Stops following the configuration. */
  const stop = store.onChange((next, _previous, diff) => {
    for (const connectionId of goneConnectionIds(next, diff)) {
      connections.delete(connectionId)
      changes.publish(connectionId)
    }
    for (const { id, before } of diff.connections) if (before === undefined) changes.publish(id)
  })

  return {
    add,
    /** Returns when counting began, at most 24 hours ago; ISO 8601. */
    since() {
      const now = clock()
      return momentOf(Math.min(now, Math.max(began, now - dayMs)))
    },
    of(connectionId: string) {
      const counts = connections.get(connectionId) ?? nothing
      const attemptId = counts.undiagnosed()
      if (attemptId !== null) diagnose(attemptId)
      return { connectionId, ...counts.read(clock()) }
    },
    /** Returns what lists filter and order by. */
    glance: (connectionId: string): Glance => connections.get(connectionId)?.glance(clock()) ?? quiet,
    /**
     * Returns the declared names and those that were received, also if none came in the last 24 hours.
     *
     * @param declared names that are listed first, in this order, even without events.
     */
    eventNamesOf(connectionId: string, declared: Iterable<string>) {
      const counted = (connections.get(connectionId) ?? nothing).eventNames(clock())
      const byName = new Map(counted.map(name => [name.eventName, name]))
      const first = Array.from(new Set(declared), eventName => {
        const { count = 0, lastAt = null } = byName.get(eventName) ?? {}
        byName.delete(eventName)
        return { eventName, count, lastAt: lastAt === null ? null : momentOf(lastAt), declared: true }
      })
      const others = [...byName.values()].sort(
        (a, b) => b.count - a.count || b.lastAt - a.lastAt || (a.eventName < b.eventName ? -1 : 1),
      )
      return [
        ...first,
        ...others.map(({ eventName, count, lastAt }) => ({
          eventName,
          count,
          lastAt: momentOf(lastAt),
          declared: false,
        })),
      ]
    },
    changes,
    save() {
      const now = clock()
      return {
        version: 1,
        since: Math.max(began, now - dayMs),
        connections: Array.from(connections, ([connectionId, counts]) => ({
          connectionId,
          ...counts.save(now),
        })),
      }
    },
    stop,
  }
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString()
}
