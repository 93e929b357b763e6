import { messageOf } from '#main/lib/file-system.ts'
import { createSequence } from '#main/lib/sequence.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { goneConnectionIds, keptConnectionIds } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type {
  OccurrenceStorage,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { kinds, numberIn, type StoredKind } from './kinds.ts'
import { createWriteQueue, type WaitingOccurrence, type WriteQueue } from './write-queue.ts'

/** Milliseconds between two writes of findings alone, at least. */
const findingsEveryMs = 1000
/** Findings that wait at most; what was found can be found again. */
const mostFindings = 1000

/** Everything that happened and outlives a restart: one record for each occurrence, found by its id. */
export type History = {
  /** The next number for an id or for a place in the activity; grows, also over a restart. */
  nextNumber(): number
  /** Keeps a record, soon and off this thread. */
  keep(kind: StoredKind, record: WaitingOccurrence): void
  /** Adds what was found out later to a record. */
  addFinding(number: number, finding: string): void
  /** Newest first, what is still to be written included. */
  list(query: {
    readonly kind: StoredKind
    readonly connectionId: string | null
    readonly subject?: string
    readonly limit: number
  }): Promise<StoredOccurrence[]>
  newestOfEach(kind: StoredKind, connectionId: string): Promise<OccurrenceSummary[]>
  get(kind: StoredKind, id: string): Promise<StoredOccurrence | null>
  /** The newest of all, oldest first, in the order of the activity. */
  latest(limit: number): Promise<OccurrenceSummary[]>
  /** Writes what waits, and keeps nothing from then on. */
  stop(): Promise<void>
}

export type HistoryParts = {
  readonly storage: OccurrenceStorage
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Told once when nothing can be written, and once when it can again. */
  readonly onProblem: (notice: string) => void
}

/** Creates the history on its storage. Records of connections that no longer exist are deleted. */
export function createHistory({ storage, store, clock, onProblem }: HistoryParts): History {
  const nextNumber = createSequence(clock, storage.newestNumber)
  const findings = new Map<number, string>()
  let isFailing = false

  /** Tells whether it could be done. */
  async function tryTo(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
    } catch (error) {
      if (!isFailing)
        onProblem(
          `Refused requests and calls cannot be written, and are kept in memory only: ${messageOf(error)}`,
        )
      isFailing = true
      return false
    }
    if (isFailing) onProblem('Refused requests and calls are written again.')
    isFailing = false
    return true
  }

  function write(occurrences: readonly StoredOccurrence[]): Promise<boolean> {
    const taken = Array.from(findings, ([number, finding]) => ({ number, finding }))
    findings.clear()
    return tryTo(() => storage.write({ occurrences, findings: taken, now: clock() }))
  }
  const queues = new Map<StoredKind, WriteQueue>()
  function queueOf(kind: StoredKind): WriteQueue {
    const queue = queues.get(kind) ?? createWriteQueue({ ...kinds[kind].stored, write })
    queues.set(kind, queue)
    return queue
  }
  // A record that still waits is written with its finding.
  const findingsThrottle = createThrottle(findingsEveryMs, () => void write([]))
  const pending = (kind: StoredKind, connectionId?: string | null) =>
    queueOf(kind)
      .pending(connectionId)
      .map(record => record.toStored())

  const tidied = storage.keepOnly(keptConnectionIds(store.snapshot()))
  const stopFollowing = store.onChange((next, previous) => {
    const gone = goneConnectionIds(next, previous)
    if (gone.length === 0) return
    for (const connectionId of gone) for (const queue of queues.values()) queue.forget(connectionId)
    void tryTo(() => storage.forget(gone))
  })

  return {
    nextNumber,
    keep: (kind, record) => queueOf(kind).add(record),
    addFinding(number, finding) {
      if (findings.size >= mostFindings) return
      findings.set(number, finding)
      findingsThrottle.ask()
    },
    async list({ kind, connectionId, subject, limit }) {
      const waiting = pending(kind, connectionId).filter(
        record => subject === undefined || record.subject === subject,
      )
      const query = { kind: kinds[kind].stored.name, connectionId, limit }
      const stored = await storage.list(subject === undefined ? query : { ...query, subject })
      return newestFirst([...stored, ...waiting]).slice(0, limit)
    },
    async newestOfEach(kind, connectionId) {
      const waiting = pending(kind, connectionId)
      const stored = await storage.newestOfEach({ kind: kinds[kind].stored.name, connectionId })
      const oldestFirst = newestFirst([...stored, ...waiting]).reverse()
      return [...new Map(oldestFirst.map(record => [record.subject, record])).values()]
    },
    async get(kind, id) {
      const number = numberIn(kind, id)
      if (number === null) return null
      return (
        pending(kind).find(record => record.number === number) ?? storage.get(kinds[kind].stored.name, number)
      )
    },
    async latest(limit) {
      await tidied
      return storage.latest(limit)
    },
    async stop() {
      stopFollowing()
      findingsThrottle.stop()
      await Promise.all([...queues.values()].map(queue => queue.stop()))
      if (findings.size > 0) await write([])
      await storage.close()
    },
  }
}

/** Each record once: while it is written it may be in both places. */
function newestFirst<Record extends { readonly number: number }>(records: readonly Record[]): Record[] {
  const byNumber = new Map(records.map(record => [record.number, record]))
  return [...byNumber.values()].sort((one, other) => other.number - one.number)
}
