import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { Counters } from '#main/occurrences/kind.ts'
import { type FinishedCall, isCounted } from '#main/outbound/finished-call.ts'
import { type Config, keptConnection, keptConnectionIds } from '#main/storage/config.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { connectionStart, type HourCountStore, type HourRange } from '#main/storage/hour-count-store.ts'
import {
  addHour,
  answerBounds,
  callBounds,
  callPair,
  countDuration,
  countPair,
  emptyHour,
  eventPair,
  type HourCounts,
  type PairCounts,
  readHour,
  storedHour,
} from '#main/storage/hour-counts.ts'
import type { Housekeeping } from '#main/storage/housekeeping.ts'
import type { Run, RunEnd } from '#main/storage/runs.ts'
import { minuteMs } from '#shared/durations.ts'
import { keptDays } from '#shared/model/hour-statistics.ts'
import { kindOf, type Occurrence } from '../kinds.ts'
import { hourOf } from './hour-table.ts'

/** Counts what happens in each hour, and reads what all nodes have counted. */
export type HourlyCounts = ReturnType<typeof createHourlyCounts>

type HourlyCountsParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly counts: HourCountStore
  readonly housekeeping: Housekeeping
  /** The id of this node, new at each start. */
  readonly node: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Returns for how many milliseconds a node that has saved so many rows saves nothing. */
  readonly restAfter: (rows: number) => number
  /** Receives the reason why counts cannot be saved, once until they are. */
  readonly onProblem: (notice: string) => void
  /** Receives failures of what nobody waits for. */
  readonly onError: (error: unknown) => void
}

/** Milliseconds for which a node still counts in an hour that is over. It saves it for the last time within them. */
const openMs = 2 * minuteMs
/**
 * Milliseconds for which a node keeps the counts of an hour that is over in memory. By then all nodes have saved theirs,
 * and none has merged them.
 */
const heldMs = 6 * minuteMs
/** Milliseconds after its end at which the rows of an hour are merged. Nobody counts in it any more. */
const mergeAfterMs = 10 * minuteMs
/** Hours for which counts wait while they cannot be saved. */
const waitingHours = 24
/** Rows that are saved together. */
const rowsAtOnce = 500
/** The row of the service as a whole. */
const service = ''

/** The counts that this node has of a connection, a workspace or the service in one hour. */
type Entry = {
  readonly of: string
  readonly hour: number
  readonly counts: HourCounts
  readonly counters: Counters
}

type Counted = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly connectionId: string | null
  /** By default that of the connection. */
  readonly workspaceId?: string
}

/** The counts that an event of a connection goes into, as long as the hour and the configuration stay. */
type Latest = Omit<Counted, 'at'> & {
  readonly hour: number
  readonly config: Config
  readonly targets: readonly Entry[]
}

/** Creates the counts of hours. Counting happens for every event, so it costs only look-ups and increments. */
export function createHourlyCounts(parts: HourlyCountsParts) {
  const { store, counts, housekeeping, node, clock, restAfter, onProblem, onError } = parts
  const hours = new Map<number, Map<string, Entry>>()
  const changed = new Set<Entry>()
  const inTurn = createSerialQueue()
  /** Most events come from the connection that the one before came from. */
  let latest: Latest | null = null
  let isFailing = false
  let isStopped = false
  let prunedBefore = 0
  const oldestOpen = () => hourOf(clock() - openMs)
  const oldestHeld = () => hourOf(clock() - heldMs)
  const oldestWaiting = () => hourOf(clock()) - waitingHours
  const firstKept = () => hourOf(clock()) - keptDays * 24

  function entriesOf(hour: number): Map<string, Entry> {
    const known = hours.get(hour)
    if (known !== undefined) return known
    const entries = new Map<string, Entry>()
    hours.set(hour, entries)
    return entries
  }

  function entryOf(of: string, hour: number, entries = entriesOf(hour)): Entry {
    const known = entries.get(of)
    if (known !== undefined) return known
    const counts = emptyHour()
    const entry = { of, hour, counts, counters: countersOf(counts, of.startsWith(connectionStart)) }
    entries.set(of, entry)
    return entry
  }

  /** Returns the counts of the service, and of the connection and the workspace if they are kept. */
  function targetsOf({ at, connectionId, workspaceId }: Counted): readonly Entry[] {
    const hour = Math.max(hourOf(at), oldestOpen())
    const config = store.snapshot()
    const isLatest =
      latest?.hour === hour &&
      latest.connectionId === connectionId &&
      latest.workspaceId === workspaceId &&
      latest.config === config
    if (latest !== null && isLatest) return latest.targets
    const entries = entriesOf(hour)
    const connection = connectionId === null ? undefined : keptConnection(config, connectionId)
    const ids = [connection?.connectionId, connection?.workspaceId ?? workspaceId]
    const others = ids.flatMap(id => (id === undefined ? [] : entryOf(id, hour, entries)))
    const targets = [entryOf(service, hour, entries), ...others]
    latest = { hour, connectionId, config, targets, ...(workspaceId !== undefined && { workspaceId }) }
    return targets
  }

  /** Counts something of the service, and of its connection and workspace if they are kept. */
  function count(counted: Counted, act: (entry: Entry) => boolean): void {
    for (const entry of targetsOf(counted)) {
      if (!act(entry)) return
      changed.add(entry)
    }
    throttle.ask()
  }

  /** Counts something of a connection alone. */
  function countPairs({ at, connectionId }: Counted, act: (counts: HourCounts) => void): void {
    if (connectionId === null || keptConnection(store.snapshot(), connectionId) === undefined) return
    const entry = entryOf(connectionId, Math.max(hourOf(at), oldestOpen()))
    act(entry.counts)
    changed.add(entry)
    throttle.ask()
  }

  const throttle = createThrottle(
    () => restAfter(changed.size),
    () => void inTurn(write),
  )

  async function write(): Promise<void> {
    const saving = [...changed]
    changed.clear()
    try {
      for (let from = 0; from < saving.length; from += rowsAtOnce) {
        const entries = saving.slice(from, from + rowsAtOnce)
        const rows = entries.map(({ of, hour, counts }) => ({ of, hour, doc: storedHour(counts) }))
        await counts.save(node, rows)
      }
      isFailing = false
    } catch (error) {
      if (!isFailing) onProblem(`The counts of the hour cannot be saved: ${messageOf(error)}`)
      isFailing = true
      for (const entry of saving) if (entry.hour >= oldestWaiting()) changed.add(entry)
      dropOver()
    }
  }

  /** Forgets the hours that are over, which the storage has, or will not have. */
  function dropOver(): void {
    latest = null
    for (const [hour, entries] of hours) {
      if (hour >= oldestHeld()) continue
      // A computer that has slept for days saves what it has counted before.
      const mayWait = !isFailing || hour >= oldestWaiting()
      for (const [of, entry] of entries) {
        if (mayWait && changed.has(entry)) continue
        changed.delete(entry)
        entries.delete(of)
      }
      if (entries.size === 0) hours.delete(hour)
    }
  }

  /** Merges the rows of hours that are over, and deletes old ones. */
  async function tidy(): Promise<void> {
    await inTurn(write)
    dropOver()
    const upTo = hourOf(clock() - mergeAfterMs) - 1
    while (!isStopped && (await counts.merge(upTo)));
    const before = firstKept()
    if (before === prunedBefore) return
    while (!isStopped && (await counts.prune(before)));
    prunedBefore = before
  }

  // The first row says since when there are counts.
  changed.add(entryOf(service, hourOf(clock())))
  throttle.ask()
  void counts.keepOnly(keptConnectionIds(store.snapshot())).catch(onError)
  const stopFollowing = store.onChange((next, _previous, diff) => {
    const gone = goneConnectionIds(next, diff)
    if (gone.length === 0) return
    for (const entries of hours.values())
      for (const connectionId of gone) {
        const entry = entries.get(connectionId)
        if (entry !== undefined) changed.delete(entry)
        entries.delete(connectionId)
      }
    void counts.forget(gone).catch(onError)
  })
  const stopTidying = housekeeping.every(
    { name: 'hour counts', everyMs: minuteMs, retryMs: mergeAfterMs },
    tidy,
  )

  return {
    /** Counts an occurrence, as its kind says. */
    add(occurrence: Occurrence): void {
      const kind = kindOf(occurrence)
      count(occurrence, ({ counters }) => kind.count(occurrence, counters))
    },
    /** Counts a run that has ended. */
    runEnded(
      { workspaceId, connectionId }: Pick<Run, 'workspaceId' | 'connectionId'>,
      state: RunEnd['state'],
    ): void {
      count({ at: clock(), connectionId, workspaceId }, ({ counts: { runs } }) => {
        runs[state]++
        return true
      })
    },
    /** Counts the workflows that an event has started. */
    started({ receivedAt: at, connectionId, eventName }: LoggedEvent, workflowIds: readonly string[]): void {
      if (workflowIds.length === 0) return
      countPairs({ at, connectionId }, counts => {
        for (const id of workflowIds) countPair(counts, 'started', eventPair(id, eventName), 1, 0)
      })
    },
    /** Counts a call of a tool. @param workflowId of the workflow that made it. */
    called(call: FinishedCall, workflowId: string | undefined): void {
      if (!isCounted(call)) return
      const caller = workflowId ?? (call.client === null ? '' : 'client')
      countPairs(call, counts =>
        countPair(counts, 'called', callPair(caller, call.toolName), 1, call.ok ? 0 : 1),
      )
    },
    /**
     * Returns the counts of each hour of a connection, a workspace or the service (an empty text). Those of other nodes
     * are some seconds old.
     */
    async read(of: string, range: HourRange): Promise<ReadonlyMap<number, HourCounts>> {
      dropOver()
      const read = new Map<number, HourCounts>()
      const own = new Set<number>()
      for (const [hour, entries] of hours) {
        const entry = entries.get(of)
        if (entry === undefined || hour < range.from || hour >= range.until) continue
        own.add(hour)
        // It goes on counting.
        const sum = emptyHour()
        addHour(sum, entry.counts)
        read.set(hour, sum)
      }
      for (const { hour, doc, ...row } of await counts.read(of, range)) {
        if (row.node === node && own.has(hour)) continue
        const sum = read.get(hour)
        if (sum === undefined) read.set(hour, readHour(doc))
        else addHour(sum, readHour(doc))
      }
      return read
    },
    /**
     * Returns the first hour of which this node has its counts in memory. Those of the hours before are in the storage,
     * from all nodes, and stay the same.
     */
    async firstHeld(): Promise<number> {
      const first = oldestHeld()
      if ([...hours.keys()].some(hour => hour < first)) await inTurn(write)
      dropOver()
      return first
    },
    /** Returns what this node counts of a connection in these hours. It goes on counting. */
    heldPairs: (of: string, { from, until }: HourRange): PairCounts[] =>
      Array.from(hours).flatMap(([hour, entries]) =>
        hour < from || hour >= until ? [] : (entries.get(of)?.counts ?? []),
      ),
    /** Returns the first hour that is known. */
    async keptFrom(): Promise<number> {
      const first = Math.min(
        (await counts.first()) ?? Number.POSITIVE_INFINITY,
        hourOf(clock()),
        ...hours.keys(),
      )
      return Math.max(firstKept(), first)
    },
    async stop() {
      isStopped = true
      stopFollowing()
      throttle.stop()
      await stopTidying()
      await inTurn(write)
    },
  }
}

/** @param hasPairs whether it counts by workflow, as those of a connection do. */
function countersOf(counts: HourCounts, hasPairs: boolean): Counters {
  return {
    accepted({ eventName, duplicateOf = null, startsNothing = false }, tookMs) {
      counts.accepted++
      if (duplicateOf !== null) counts.duplicates++
      countDuration(counts.answerMs, answerBounds, tookMs)
      if (startsNothing && hasPairs) countPair(counts, 'started', eventPair('', eventName), 1, 0)
    },
    repeated(_event, tookMs) {
      counts.repeated++
      countDuration(counts.answerMs, answerBounds, tookMs)
    },
    rejected({ code }) {
      counts.refused[code] = (counts.refused[code] ?? 0) + 1
    },
    diagnosed: () => false,
    notCalled: () => false,
    runFailed(workflowId, eventName) {
      if (hasPairs) countPair(counts, 'started', eventPair(workflowId, eventName), 0, 1)
      return true
    },
    called({ totalMs }, outcome) {
      counts.calls[outcome] = (counts.calls[outcome] ?? 0) + 1
      countDuration(counts.callMs, callBounds, totalMs)
    },
  }
}
