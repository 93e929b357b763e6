import { createBus } from '#main/lib/bus.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { keptConnectionIds } from '#main/storage/config.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { causeOf, occurrenceMatcher } from '#main/storage/occurrence-filter.ts'
import type {
  BucketCounts,
  Buckets,
  OccurrenceCounts,
  OccurrenceFilter,
  OccurrencePage,
  OccurrenceQuery,
  OccurrenceStorage,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { createBucketTally, createCauseTally } from '#main/storage/occurrence-tally.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { kinds, numberIn, type StoredKind, storageBounds } from './kinds.ts'
import {
  createWriteQueue,
  sharedWriteWaits,
  type WaitingOccurrence,
  type WriteQueue,
  writeWaits,
} from './write-queue.ts'

/** Maximum number of findings that wait; further ones are dropped, because they can be found again. */
const mostFindings = 1000

/** Up to this many connections, only their waiting records are looked at. */
const fewConnections = 16

/** Every occurrence that outlives a restart: one record each, found by its id. */
export type History = ReturnType<typeof createHistory>

type KindsFilter = Omit<OccurrenceFilter, 'kinds'> & { readonly kinds: readonly StoredKind[] }
const storedFilter = (filter: KindsFilter): OccurrenceFilter => ({
  ...filter,
  kinds: filter.kinds.map(kind => kinds[kind].stored.name),
})

type HistoryParts = {
  readonly storage: OccurrenceStorage
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Whether other processes read the storage. */
  readonly isShared?: boolean
  /** Called once when writes start to fail, and once when they succeed again. */
  readonly onProblem: (notice: string) => void
}

/** Creates the history on its storage, and deletes records of connections that no longer exist. */
export function createHistory({ storage, store, clock, isShared = false, onProblem }: HistoryParts) {
  const waits = isShared ? sharedWriteWaits : writeWaits
  const findings = new Map<number, { readonly connectionId: string | null; readonly finding: string }>()
  // Listeners do not throw.
  const written = createBus<ReadonlySet<string | null>>(() => {})
  let isFailing = false

  /** Returns whether `act` succeeded. */
  async function tryTo(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
    } catch (error) {
      if (!isFailing)
        onProblem(`The history cannot be written, so it is kept in memory only: ${messageOf(error)}`)
      isFailing = true
      return false
    }
    if (isFailing) onProblem('The history is saved again.')
    isFailing = false
    return true
  }

  async function write(occurrences: readonly StoredOccurrence[]): Promise<boolean> {
    const taken = Array.from(findings, ([number, { finding }]) => ({ number, finding }))
    const connectionIds = new Set([...occurrences, ...findings.values()].map(one => one.connectionId))
    findings.clear()
    const isWritten = await tryTo(() => storage.write({ occurrences, findings: taken, now: clock() }))
    if (isWritten) written.publish(connectionIds)
    return isWritten
  }
  const queues = new Map<StoredKind, WriteQueue>()
  function queueOf(kind: StoredKind): WriteQueue {
    const queue = queues.get(kind) ?? createWriteQueue({ ...kinds[kind].stored, waits, write })
    queues.set(kind, queue)
    return queue
  }
  const findingsThrottle = createThrottle(waits.shortestMs, () => void write([]))
  const pending = (kind: StoredKind, connectionId?: string | null) =>
    queueOf(kind)
      .pending(connectionId)
      .map(record => record.toStored())

  /** Returns the records that the storage does not count: it counts after the writes that have begun. */
  function waitingOf(filter: KindsFilter): StoredOccurrence[] {
    const { above = -1, below = Number.MAX_SAFE_INTEGER } = filter
    const matches = occurrenceMatcher(storedFilter(filter), storageBounds)
    return filter.kinds
      .flatMap(kind => queueOf(kind).waiting())
      .map(record => record.toStored())
      .filter(record => record.number > above && record.number < below && matches(record))
  }

  const tidied = storage.keepOnly(keptConnectionIds(store.snapshot()))
  const stopFollowing = store.onChange((next, _previous, diff) => {
    const gone = goneConnectionIds(next, diff)
    if (gone.length === 0) return
    for (const connectionId of gone) for (const queue of queues.values()) queue.forget(connectionId)
    void tryTo(() => storage.forget(gone))
  })

  return {
    /** Queues a record. Another thread writes it. */
    keep: (kind: StoredKind, record: WaitingOccurrence) => queueOf(kind).add(record),
    /** Returns how many records wait to be written. */
    waiting: () => [...queues.values()].reduce((sum, queue) => sum + queue.size(), 0),
    /** Publishes the connections of records that were written, with null for none. */
    written: written.subscribe,
    /** Adds a later finding, such as a diagnosis, to a record. */
    addFinding(number: number, connectionId: string | null, finding: string) {
      if (findings.size >= mostFindings) return
      findings.set(number, { connectionId, finding })
      findingsThrottle.ask()
    },
    /** Returns a page of records, including those that wait to be written. */
    async list(
      query: Omit<OccurrenceQuery, 'kinds'> & { readonly kinds: readonly StoredKind[] },
    ): Promise<OccurrencePage> {
      const { above = -1, below = Number.MAX_SAFE_INTEGER, limit, details = 'all' } = query
      const wanted = { ...query, kinds: query.kinds.map(kind => kinds[kind].stored.name) }
      const matches = occurrenceMatcher(wanted, storageBounds)
      const { connectionIds } = query
      const few =
        connectionIds !== null && connectionIds.length <= fewConnections ? connectionIds : [undefined]
      const waiting = query.kinds
        .flatMap(kind => few.flatMap(connectionId => pending(kind, connectionId)))
        .filter(record => record.number > above && record.number < below && matches(record))
        .map(record => ({ ...record, details: detailsOf(record, details) }))
      const page = await storage.list(wanted)
      const found = newestFirst([...page.occurrences, ...waiting]).filter(
        ({ number }) => number > page.checkedAbove,
      )
      for (const [index, record] of found.entries()) {
        const finding = findings.get(record.number)?.finding
        if (finding !== undefined) found[index] = { ...record, finding }
      }
      if (found.length <= limit) return { ...page, occurrences: found }
      const occurrences = found.slice(0, limit)
      return { occurrences, checkedAbove: (occurrences.at(-1)?.number ?? 0) - 1, searched: null }
    },
    /** Counts records by kind, connection and cause, including those that wait to be written. */
    async count(filter: KindsFilter): Promise<OccurrenceCounts> {
      const waiting = waitingOf(filter)
      const stored = await storage.count(storedFilter(filter))
      const tally = createCauseTally()
      for (const record of waiting) tally.add(record)
      return { counts: [...stored.counts, ...tally.counts()], isComplete: stored.isComplete }
    },
    /** Counts the same records in buckets. */
    async countBuckets(filter: KindsFilter, buckets: Buckets): Promise<BucketCounts> {
      const waiting = waitingOf(filter)
      const stored = await storage.countBuckets(storedFilter(filter), buckets)
      const tally = createBucketTally(buckets)
      for (const record of waiting) tally.of(record.kind, causeOf(record) !== null)(record.number)
      return { counts: [...stored.counts, ...tally.counts()], isComplete: stored.isComplete }
    },
    async newestOfEach(kind: StoredKind, connectionId: string) {
      const waiting = pending(kind, connectionId)
      const stored = await storage.newestOfEach({ kind: kinds[kind].stored.name, connectionId })
      const oldestFirst = newestFirst([...stored, ...waiting]).reverse()
      return [...new Map(oldestFirst.map(record => [record.subject, record])).values()]
    },
    async get(kind: StoredKind, id: string) {
      const number = numberIn(kind, id)
      if (number === null) return null
      const waiting = pending(kind).find(record => record.number === number)
      return waiting ?? storage.get(kinds[kind].stored.name, number)
    },
    /** Returns the newest records of all kinds, oldest first. */
    async latest(limit: number) {
      await tidied
      return storage.latest(limit)
    },
    /** Writes the queued records, then stores nothing more. */
    async stop() {
      stopFollowing()
      findingsThrottle.stop()
      await Promise.all([...queues.values()].map(queue => queue.stop()))
      if (findings.size > 0) await write([])
      await storage.close()
    },
  }
}

/** Returns each record once: while it is written, it may be both waiting and stored. */
function newestFirst<Record extends { readonly number: number }>(records: readonly Record[]): Record[] {
  const byNumber = new Map(records.map(record => [record.number, record]))
  return [...byNumber.values()].sort((one, other) => other.number - one.number)
}

/** Returns the wanted part of the details. */
function detailsOf({ details }: StoredOccurrence, wanted: NonNullable<OccurrenceQuery['details']>): string {
  if (wanted === 'all') return details
  return wanted === 'none' ? '{}' : JSON.stringify(Object(parseExact(details)).arguments ?? {})
}
