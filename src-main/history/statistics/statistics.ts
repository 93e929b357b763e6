import { createBus } from '#main/lib/bus.ts'
import { isKept } from '#main/storage/config.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { type Measured, mergeMeasured } from '#main/storage/measured.ts'
import type { Run, RunEnd, RunOwner } from '#main/storage/runs.ts'
import { type LoadedCounts, mergeCounts, type OtherCounts } from '#main/storage/statistics.ts'
import { dayMs } from '#shared/durations.ts'
import { connectionThresholds } from '#shared/model/alert.ts'
import { type ConnectionStatus, type LastHour, statusOf } from '#shared/model/connection-status.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { kindOf, type Occurrence } from '../kinds.ts'
import {
  type ConnectionCounts,
  type CountsSummary,
  createConnectionCounts,
  type LastTimes,
} from './connection-counts.ts'
import { hourOf } from './hour-table.ts'

/** The last 24 hours of every connection, for the dashboard only. */
export type Statistics = ReturnType<typeof createStatistics>

type StatisticsParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  /** Runs a skipped diagnosis if the rate limit allows it now. */
  readonly diagnose: (attemptId: string) => void
  /** Returns when the pause of a connection ends; null if it is not paused. */
  readonly pausedUntil: (connectionId: string) => number | null
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
  /** The counts that this node continues, for example those from before a restart. */
  readonly loaded: LoadedCounts
}

const quiet: CountsSummary = { accepted: 0, calls: 0, lastEventAt: 0, lastEventName: '' }

/** The numbers of a connection on all nodes, for its alerts. */
export type Watched = LastTimes & {
  /** The last hour, to 5 minutes. */
  readonly recent: LastHour
  /** The measurements of its newest events. */
  readonly measured: Measured
}

export function createStatistics({ store, diagnose, pausedUntil, clock, onError, loaded }: StatisticsParts) {
  const began = loaded.since ?? clock()
  const ownChanges = createBus<string>(onError)
  const otherChanges = createBus<string>(onError)
  const nothing = createConnectionCounts()
  const connections = new Map<string, ConnectionCounts>()
  const exists = (connectionId: string) => isKept(store.snapshot(), connectionId)
  for (const [connectionId, counts] of loaded.connections)
    if (exists(connectionId)) connections.set(connectionId, createConnectionCounts(counts))
  /** The counts of the other nodes, as they saved them last. */
  const others = new Map<string, ConnectionCounts>()

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
    if (counts !== null && kindOf(occurrence).count(occurrence, counts)) ownChanges.publish(connectionId)
  }

  /** Stops following the configuration. */
  const stop = store.onChange((next, _previous, diff) => {
    for (const connectionId of goneConnectionIds(next, diff)) {
      connections.delete(connectionId)
      others.delete(connectionId)
      ownChanges.publish(connectionId)
    }
    for (const { id, before } of diff.connections) if (before === undefined) otherChanges.publish(id)
  })

  /** Returns the counts of all nodes. */
  function allOf(connectionId: string): Pick<ConnectionCounts, 'read' | 'eventNames'> {
    const own = connections.get(connectionId)
    const theirs = others.get(connectionId)
    if (own === undefined || theirs === undefined) return own ?? theirs ?? nothing
    const now = clock()
    return createConnectionCounts(mergeCounts(own.save(now), theirs.save(now)))
  }

  function summary(connectionId: string): CountsSummary {
    const own = connections.get(connectionId)?.summary(clock()) ?? quiet
    const theirs = others.get(connectionId)?.summary(clock())
    return theirs === undefined ? own : addSummaries(own, theirs)
  }

  /** Returns what happened on a connection in the last hour, to 5 minutes. */
  function lastHour(connectionId: string): LastHour {
    const now = clock()
    const own = (connections.get(connectionId) ?? nothing).lastHour(now)
    const theirs = others.get(connectionId)?.lastHour(now)
    return theirs === undefined ? own : addLastHours(own, theirs)
  }

  /** Returns how a connection is doing. @param totals its summary, if that is known already. */
  function status(connectionId: string, totals = summary(connectionId)): ConnectionStatus {
    const { connections: records, settings } = store.snapshot()
    const record = records.get(connectionId)
    return statusOf({
      enabled: record?.enabled ?? false,
      isPaused: pausedUntil(connectionId) !== null,
      isUsed: totals.lastEventAt > 0 || totals.calls > 0,
      lastHour: lastHour(connectionId),
      thresholds: record?.watch ?? connectionThresholds,
      runsFailing: settings.watch.runsFailing,
    })
  }

  return {
    add,
    /** Replaces what other nodes have counted on these connections. */
    setOthers(changed: OtherCounts) {
      for (const [connectionId, counts] of changed) {
        if (counts === null) others.delete(connectionId)
        else if (exists(connectionId)) others.set(connectionId, createConnectionCounts(counts))
        otherChanges.publish(connectionId)
      }
    },
    /** Returns when counting began, at most 24 hours ago; ISO 8601. */
    since() {
      const now = clock()
      return momentOf(Math.min(now, Math.max(began, now - dayMs)))
    },
    of(connectionId: string) {
      const attemptId = connections.get(connectionId)?.undiagnosed() ?? null
      if (attemptId !== null) diagnose(attemptId)
      return {
        connectionId,
        status: status(connectionId),
        lastHour: lastHour(connectionId),
        ...allOf(connectionId).read(clock()),
      }
    },
    /** Returns what lists filter and order by. */
    summary,
    status,
    /** Counts a run that has ended, unless it is a test, was cancelled, or only decided that it has nothing to do. */
    runEnded(run: RunOwner | Run, state: RunEnd['state']) {
      const { connectionId, workflowId } = run
      if (connectionId === null || !('lane' in run) || run.lane !== workflowId || state === 'cancelled')
        return
      const counts = countsOf(connectionId)
      if (counts === null) return
      counts.runEnded(workflowId, clock(), state === 'failed')
      ownChanges.publish(connectionId)
    },
    /** Returns the numbers for the alerts of a connection, which are asked for again and again. */
    watched(connectionId: string): Watched {
      const now = clock()
      const own = connections.get(connectionId)
      const theirs = others.get(connectionId)
      if (own === undefined || theirs === undefined) return watchedIn(own ?? theirs ?? nothing, now)
      const [one, two] = [watchedIn(own, now), watchedIn(theirs, now)]
      return {
        lastEventAt: Math.max(one.lastEventAt, two.lastEventAt),
        oldSecretAt: Math.max(one.oldSecretAt, two.oldSecretAt),
        recent: addLastHours(one.recent, two.recent),
        measured: mergeMeasured(one.measured, two.measured),
      }
    },
    /** Changes what this node has measured of a connection. */
    measure(connectionId: string, change: (before: Measured) => Measured): void {
      const counts = countsOf(connectionId)
      if (counts === null) return
      counts.measured = change(counts.measured)
      ownChanges.publish(connectionId)
    },
    /**
     * Returns the declared names and those that were received, also if none came in the last 24 hours.
     *
     * @param declared names that are listed first, in this order, even without events.
     */
    eventNamesOf(connectionId: string, declared: Iterable<string>) {
      const counted = allOf(connectionId).eventNames(clock())
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
    /** Publishes the id of a connection whose statistics have changed, on whatever node. */
    changes: {
      subscribe(listener: (connectionId: string) => void) {
        const stops = [ownChanges.subscribe(listener), otherChanges.subscribe(listener)]
        return () => stops.forEach(stop => void stop())
      },
      count: () => ownChanges.count() + otherChanges.count(),
      hasListeners: () => ownChanges.hasListeners() || otherChanges.hasListeners(),
    },
    /** The counts of this node. */
    own: {
      changes: ownChanges,
      since: () => Math.max(began, clock() - dayMs),
      connectionIds: () => connections.keys(),
      countsOf: (connectionId: string) => connections.get(connectionId)?.save(clock()) ?? null,
    },
    stop,
  }
}

function watchedIn(counts: ConnectionCounts, now: number): Watched {
  const { lastEventAt, oldSecretAt } = counts.lastTimes()
  return { lastEventAt, oldSecretAt, recent: counts.lastHour(now), measured: counts.measured }
}

function addSummaries(one: CountsSummary, two: CountsSummary): CountsSummary {
  const { lastEventAt, lastEventName } = two.lastEventAt > one.lastEventAt ? two : one
  return {
    accepted: one.accepted + two.accepted,
    calls: one.calls + two.calls,
    lastEventAt,
    lastEventName,
  }
}

function addLastHours(one: LastHour, two: LastHour): LastHour {
  const runs = new Map(one.runs.map(counts => [counts.workflowId, counts]))
  for (const { workflowId, ended, failed } of two.runs) {
    const before = runs.get(workflowId) ?? { ended: 0, failed: 0 }
    runs.set(workflowId, { workflowId, ended: before.ended + ended, failed: before.failed + failed })
  }
  return {
    accepted: one.accepted + two.accepted,
    refused: one.refused + two.refused,
    calls: one.calls + two.calls,
    callsFailed: one.callsFailed + two.callsFailed,
    callsNotMade: one.callsNotMade + two.callsNotMade,
    runs: [...runs.values()],
  }
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString()
}
