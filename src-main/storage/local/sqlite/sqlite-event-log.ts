import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import type { RunBounds, RunStore } from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Retention } from '#shared/model/connection.ts'
import { clockSettleMs } from '../plausible-time.ts'
import { AppendQueue } from './append-queue.ts'
import type { ReaderMethods } from './event-log-reader.ts'
import type { WriterMethods } from './event-log-writer.ts'
import { makePrivate, setAside, sizeOf } from './files.ts'
import { isDamage, isFull, lockTimeoutMs } from './own-database.ts'
import { pageStart } from './page-query.ts'
import { type EventLogThreadOptions, shared } from './protocol.ts'
import { createSqliteRuns } from './sqlite-runs.ts'
import { OpenFailure, ThreadLink } from './thread-link.ts'

export type SqliteEventLogOptions = {
  /** Path of the database; SQLite and the search index keep further files beside it under longer names. */
  readonly file: string
  /** Whether a log should already exist; then a missing or empty file is reported. */
  readonly isExpected?: boolean
  /** Milliseconds since 1970; for pruning by age. */
  readonly clock?: () => number
  /** Maximum number of pages of 4 KiB that the database may have. */
  readonly maxPages?: number
  /** Milliseconds that a change waits for a lock that another process holds; a second by default. */
  readonly lockTimeoutMs?: number
  /** See PlausibleTime; an hour by default. */
  readonly clockSettleMs?: number
  /** Free bytes on the disk that a log that filled it needs before it may grow again. */
  readonly roomToGrow?: number
  /** Whether the disk is full at the start; then the event log does not grow until there is space. */
  readonly startsFull?: boolean
  /** Frees space for deletions on a full disk; returns whether it could. */
  readonly makeRoom?: () => Promise<boolean>
  /** Maximum number of runs that may wait; beyond it, events that start runs are refused. */
  readonly mostRunsWaiting?: number
  readonly runBounds?: RunBounds
  /** Receives errors that no caller waits for. */
  readonly onError?: (error: Error) => void
}

const defaultRoomToGrow = 64 * 1024 * 1024
const defaultMostRunsWaiting = 1_000_000
const defaultRunBounds: RunBounds = { mostPerWorkflow: 10_000, maxAgeMs: 30 * 86_400_000 }

/** Milliseconds between two updates of the writer's time. */
const tickEvery = 60_000

/**
 * Opens the event log in `file`, or creates it. A file that is not a sound database is set aside
 * (`<file>.corrupt-<time>`) and reported to `onError`, and a new one is started.
 *
 * @throws ServiceError `storage_unavailable` if it cannot be opened or a newer version of this program wrote it.
 */
export async function openSqliteEventLog(
  options: SqliteEventLogOptions,
): Promise<EventLog & { readonly runs: RunStore }> {
  const { file, clock = Date.now, onError = () => {}, makeRoom = async () => false } = options
  const { mostRunsWaiting = defaultMostRunsWaiting } = options
  const counters = new SharedArrayBuffer(shared.length * Int32Array.BYTES_PER_ELEMENT)
  const waiting = new Int32Array(counters)
  const threadOptions: EventLogThreadOptions = {
    file,
    maxPages: options.maxPages ?? null,
    lockTimeoutMs: options.lockTimeoutMs ?? lockTimeoutMs,
    roomToGrow: options.roomToGrow ?? defaultRoomToGrow,
    clockSettleMs: options.clockSettleMs ?? clockSettleMs,
    startsFull: options.startsFull === true,
    runBounds: options.runBounds ?? defaultRunBounds,
    counters,
  }
  const retentions = new Map<string, Retention>()
  let isDamageReported = false
  let closing: Promise<void> | null = null

  const read: ThreadLink<ReaderMethods>['call'] = (name, ...args) =>
    reader.call(name, ...args).catch(throwUnavailable)

  const write: ThreadLink<WriterMethods>['call'] = (name, ...args) =>
    withRoom(() => writer.call(name, ...args))

  async function withRoom<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act()
    } catch (error) {
      if (!isFull(error) || !(await makeRoom())) return throwUnavailable(error)
      return act().catch(throwUnavailable)
    }
  }

  const queue = new AppendQueue(
    batch => writer.post(batch),
    clock,
    more => Atomics.load(waiting, shared.runsWaiting) + more <= mostRunsWaiting,
  )
  const runs = createSqliteRuns({
    append: rows => queue.append(null, rows),
    flush: () => queue.flush(),
    write,
    read,
    setLane: (lane, limit) => writer.tell('setLane', lane, limit),
    clock,
  })
  let writer = newWriter()
  const reader = new ThreadLink<ReaderMethods>('event-log-reader', threadOptions, { onReport: report })

  /** Reports damage only once: each read and each step of pruning may find it again. */
  function report(error: Error): void {
    if (!isDamage(error)) onError(error)
    else if (!isDamageReported) {
      isDamageReported = true
      const problem = `The event log ${file} is damaged: ${error.message}. Check the disk, and restore a backup if events are missing.`
      onError(new EventLogNotice(problem, { cause: error }))
    }
  }

  /** Reports a missing log, and reports an empty one and sets it aside. */
  function reportLoss(): void {
    const size = sizeOf(file)
    if (size !== null && size > 0) return
    const state = size === null ? 'is missing' : `was empty and is kept as ${setAside(file, clock())}`
    const problem = `The event log ${file} ${state}. A new one is started: restore a backup if events are missing.`
    onError(new EventLogNotice(problem))
  }

  async function openWriter(): Promise<void> {
    try {
      await writer.open()
    } catch (error) {
      if (!(error instanceof OpenFailure) || !error.damaged) throw error
      await writer.close()
      const aside = setAside(file, clock())
      const problem = `The event log was damaged. It is kept as ${aside}, and a new one is started.`
      onError(new EventLogNotice(problem, { cause: error }))
      makePrivate(file)
      writer = newWriter()
      await writer.open()
    }
  }

  function newWriter(): ThreadLink<WriterMethods> {
    return new ThreadLink('event-log-writer', threadOptions, {
      onOpened: newestSeq => {
        queue.resume(newestSeq)
        for (const [connectionId, retention] of retentions) retain(connectionId, retention)
        runs.tellLimits()
      },
      onBatches: (count, failure) => queue.settle(count, failure),
      onReport: error => {
        // Pruning deletes, too.
        if (isFull(error)) void makeRoom()
        report(error)
      },
      onDied: () => queue.halt('The thread that writes events has ended and is started again.'),
    })
  }

  function retain(connectionId: string, { maxEvents, maxDays }: Retention): void {
    writer.tell('retain', connectionId, maxEvents, maxDays, clock())
  }

  const tick = () => writer.tell('tick', clock())

  /** Closes the writer last: the last connection to close merges the write-ahead log into the database. */
  async function closeThreads(): Promise<void> {
    await reader.close()
    await writer.close()
  }

  try {
    if (options.isExpected === true) reportLoss()
    makePrivate(file)
    await openWriter()
    await reader.open()
    await runs.recover(await read('newest'))
    tick()
  } catch (error) {
    await closeThreads()
    throw storageUnavailable(error)
  }
  const ticking = setInterval(tick, tickEvery).unref()

  async function close(): Promise<void> {
    clearInterval(ticking)
    await queue.drain('The event log is closed.')
    await closeThreads()
  }

  return {
    runs,
    append: (event, started = none) =>
      queue.append(event, started.length === 0 ? none : runs.rowsOf(started, event.eventId)),
    async list(connectionId, query) {
      const { eventName = null, text, limit } = query
      const before = pageStart(query, sequenceOfEventId)
      const request = { connectionId, eventName, text: text || null, before, limit }
      const { events, more, damaged } = await read('list', request)
      const nextBefore = more ? (events.at(-1)?.eventId ?? null) : null
      return damaged === 0 ? { events, nextBefore } : { events, nextBefore, damaged }
    },
    async get(connectionId, eventId) {
      const seq = sequenceOfEventId(eventId)
      const event = seq === null ? null : await read('get', connectionId, seq)
      if (event === 'damaged') throw new ServiceError('damaged_event')
      return event
    },
    async remove(connectionId, eventId) {
      const seq = sequenceOfEventId(eventId)
      return seq !== null && write('remove', connectionId, seq)
    },
    async clear(connectionId) {
      // Events that wait in the queue would be written after the clearing.
      await queue.flush()
      return write('clear', connectionId)
    },
    count: connectionId => write('count', connectionId),
    async newestEventId() {
      const seq = await read('newest')
      return seq < 0 ? null : eventIdOf(seq)
    },
    setRetention(connectionId, retention) {
      retentions.set(connectionId, retention)
      retain(connectionId, retention)
    },
    isWritable: () =>
      writer.call('probe').then(
        () => true,
        () => false,
      ),
    backup: path => read('backup', path),
    close: () => (closing ??= close()),
  }
}

/** Something that the operator should know until the next start: events are lost or cannot be read. */
export class EventLogNotice extends Error {}

const none: readonly never[] = []

function storageUnavailable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const detail = error instanceof Error ? `The event log cannot be used: ${error.message}` : undefined
  return new ServiceError('storage_unavailable', { cause: error, ...(detail && { detail }) })
}

function throwUnavailable(error: unknown): never {
  throw storageUnavailable(error)
}
