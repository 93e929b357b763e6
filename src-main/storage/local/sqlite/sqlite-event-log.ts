import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { EventLog, EventLogPage, EventLogQuery, LoggedEvent } from '#main/storage/event-log.ts'
import type { NewRun, RunBounds, RunStore } from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Retention } from '#shared/model/connection.ts'
import { clockSettleMs } from '../plausible-time.ts'
import { AppendQueue } from './append-queue.ts'
import { makePrivate, setAside, sizeOf } from './files.ts'
import { shared, type WorkerOptions } from './protocol.ts'
import { invalid, requireLimit, unexpected } from './questions.ts'
import { isDamage, isFull } from './schema.ts'
import { SqliteRuns } from './sqlite-runs.ts'
import { type LinkHandlers, OpenFailure, WorkerLink } from './worker-link.ts'

export type SqliteEventLogOptions = {
  /** Path of the database; SQLite and the search index keep further files beside it under longer names. */
  readonly file: string
  /** Whether there should be a log already: one that is missing or empty is then said to be, and not begun quietly. */
  readonly isExpected?: boolean
  /** Milliseconds since 1970; for pruning by age. */
  readonly clock?: () => number
  /** The most pages of 4 KiB that the database may have. */
  readonly maxPages?: number
  /** Milliseconds for which a clock that was set goes on evenly before events are pruned by it; an hour. */
  readonly clockSettleMs?: number
  /** Bytes that must be free before a log that has filled its disk may grow again. */
  readonly roomToGrow?: number
  /** Whether the disk is full at the start: then the log does not grow until there is room. */
  readonly startsFull?: boolean
  /** Makes room for deletions on a full disk; tells whether it could. */
  readonly makeRoom?: () => Promise<boolean>
  /** Runs that may wait; past that no event that starts one is taken. */
  readonly mostRunsWaiting?: number
  readonly runBounds?: RunBounds
  /** Told of what goes wrong where nobody waits for an answer. */
  readonly onError?: (error: Error) => void
}

const defaultRoomToGrow = 64 * 1024 * 1024
const defaultMostRunsWaiting = 1_000_000
const defaultRunBounds: RunBounds = { mostPerWorkflow: 10_000, maxAgeMs: 30 * 86_400_000 }

/** Milliseconds between two words to the writer on what time it is. */
const tickEvery = 60_000

/**
 * Opens the event log in `file`, or creates it. A file that is no sound database is set aside
 * (`<file>.corrupt-<time>`), which `onError` is told, and a new one begun.
 * @throws ServiceError `storage_unavailable` when it cannot be opened, or is of a newer program.
 */
export async function openSqliteEventLog(
  options: SqliteEventLogOptions,
): Promise<EventLog & { readonly runs: RunStore }> {
  const log = new SqliteEventLog(options)
  await log.open()
  return log
}

/** Something that the operator should know of until the next start: events are lost or cannot be read. */
export class EventLogNotice extends Error {}

class SqliteEventLog implements EventLog {
  readonly runs: SqliteRuns
  readonly #file
  readonly #clock
  readonly #onError
  readonly #makeRoom
  readonly #isExpected
  readonly #options: WorkerOptions
  readonly #retentions = new Map<string, Retention>()
  readonly #queue: AppendQueue
  #writer: WorkerLink
  readonly #reader: WorkerLink
  #ticking: NodeJS.Timeout | undefined
  #closed: Promise<void> | null = null
  #isDamageTold = false

  constructor(options: SqliteEventLogOptions) {
    const { file, clock = Date.now, maxPages, onError = () => {} } = options
    this.#file = file
    this.#clock = clock
    this.#onError = onError
    this.#isExpected = options.isExpected === true
    this.#makeRoom = options.makeRoom ?? (async () => false)
    const counters = new SharedArrayBuffer(shared.length * Int32Array.BYTES_PER_ELEMENT)
    const roomToGrow = options.roomToGrow ?? defaultRoomToGrow
    this.#options = {
      clockSettleMs: options.clockSettleMs ?? clockSettleMs,
      file,
      maxPages: maxPages ?? null,
      roomToGrow,
      startsFull: options.startsFull === true,
      runBounds: options.runBounds ?? defaultRunBounds,
      counters,
    }
    const mostWaiting = options.mostRunsWaiting ?? defaultMostRunsWaiting
    const waiting = new Int32Array(counters)
    this.#queue = new AppendQueue(
      batch => this.#writer.post(batch),
      clock,
      more => Atomics.load(waiting, shared.runsWaiting) + more <= mostWaiting,
    )
    this.runs = new SqliteRuns({
      append: runs => this.#queue.append(null, runs),
      write: question => this.#write(question),
      read: question => this.#read(question),
      notify: notice => this.#writer.post(notice),
      clock,
    })
    this.#writer = this.#newWriter()
    const ignored = () => {}
    this.#reader = new WorkerLink('event-log-reader', this.#options, {
      onOpened: ignored,
      onBatches: ignored,
      onReport: error => this.#report(error),
      onDied: ignored,
    })
  }

  async open(): Promise<void> {
    try {
      if (this.#isExpected) this.#tellOfLoss()
      makePrivate(this.#file)
      await this.#openWriter()
      await this.#reader.open()
      await this.runs.recover(numberOf(await this.#read({ op: 'newest' })))
      this.#tick()
    } catch (error) {
      await this.#closeThreads()
      throw storageUnavailable(error)
    }
    this.#ticking = setInterval(() => this.#tick(), tickEvery).unref()
  }

  append(event: LoggedEvent, runs: readonly NewRun[] = none): Promise<void> {
    return this.#queue.append(event, runs.length === 0 ? none : this.runs.rowsOf(runs, event.eventId))
  }

  async list(connectionId: string, query: EventLogQuery): Promise<EventLogPage> {
    const page = await this.#read({ op: 'list', connectionId, ...listQuery(query) })
    if (page === null || typeof page !== 'object' || !('events' in page)) throw unexpected()
    const { events, more, damaged } = page
    const last = events.at(-1)
    const nextBefore = more && last ? last.eventId : null
    return damaged === 0 ? { events, nextBefore } : { events, nextBefore, damaged }
  }

  async get(connectionId: string, eventId: string): Promise<LoggedEvent | null> {
    const seq = sequenceOfEventId(eventId)
    if (seq === null) return null
    const event = await this.#read({ op: 'get', connectionId, seq })
    if (event === 'damaged') throw new ServiceError('damaged_event')
    if (event === null || (typeof event === 'object' && 'bodyText' in event)) return event
    throw unexpected()
  }

  async remove(connectionId: string, eventId: string): Promise<boolean> {
    const seq = sequenceOfEventId(eventId)
    if (seq === null) return false
    return (await this.#write({ op: 'remove', connectionId, seq })) === true
  }

  async clear(connectionId: string): Promise<number> {
    return numberOf(await this.#write({ op: 'clear', connectionId }))
  }

  async count(connectionId: string): Promise<number> {
    return numberOf(await this.#write({ op: 'count', connectionId }))
  }

  async newestEventId(): Promise<string | null> {
    const seq = numberOf(await this.#read({ op: 'newest' }))
    return seq < 0 ? null : eventIdOf(seq)
  }

  setRetention(connectionId: string, retention: Retention): void {
    this.#retentions.set(connectionId, retention)
    this.#retain(connectionId, retention)
  }

  async isWritable(): Promise<boolean> {
    return this.#writer.ask({ op: 'probe' }).then(
      () => true,
      () => false,
    )
  }

  async backup(path: string): Promise<void> {
    await this.#read({ op: 'backup', path })
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    clearInterval(this.#ticking)
    await this.#queue.drain('The event log is closed.')
    await this.#closeThreads()
  }

  /** The writer last: the last connection to close folds the write-ahead log into the database. */
  async #closeThreads(): Promise<void> {
    await this.#reader.close()
    await this.#writer.close()
  }

  /** Tells of damage once: each read and each step of pruning may meet it again. */
  #report(error: Error): void {
    const isDamaged = isDamage(error)
    if (isDamaged && this.#isDamageTold) return
    this.#isDamageTold ||= isDamaged
    if (!isDamaged) {
      this.#onError(error)
      return
    }
    this.#onError(
      new EventLogNotice(
        `The event log ${this.#file} is damaged: ${error.message}. Check the disk, and restore a backup if events are missing.`,
        { cause: error },
      ),
    )
  }

  /** A missing log begins again, and an empty one is set aside; neither without a word. */
  #tellOfLoss(): void {
    const size = sizeOf(this.#file)
    if (size !== null && size > 0) return
    const what =
      size === null
        ? 'is missing'
        : `was empty; what was there is kept as ${setAside(this.#file, this.#clock())}`
    this.#onError(
      new EventLogNotice(
        `The event log ${this.#file} ${what}. A new one is begun: restore a backup if events are missing.`,
      ),
    )
  }

  async #openWriter(): Promise<void> {
    try {
      await this.#writer.open()
    } catch (error) {
      if (!(error instanceof OpenFailure) || !error.damaged) throw error
      await this.#writer.close()
      const aside = setAside(this.#file, this.#clock())
      this.#onError(
        new EventLogNotice(`The event log was damaged; it is kept as ${aside}, a new one is begun.`, {
          cause: error,
        }),
      )
      makePrivate(this.#file)
      this.#writer = this.#newWriter()
      await this.#writer.open()
    }
  }

  #newWriter(): WorkerLink {
    const handlers: LinkHandlers = {
      onOpened: newestSeq => {
        this.#queue.resume(newestSeq)
        for (const [connectionId, retention] of this.#retentions) this.#retain(connectionId, retention)
        this.runs.tellLimits()
      },
      onBatches: (count, failure) => this.#queue.settle(count, failure),
      onReport: error => {
        // Pruning deletes, too.
        if (isFull(error)) void this.#makeRoom()
        this.#report(error)
      },
      onDied: () => this.#queue.halt('The thread that writes events has ended; it is started again.'),
    }
    return new WorkerLink('event-log-writer', this.#options, handlers)
  }

  #retain(connectionId: string, { maxEvents, maxDays }: Retention): void {
    this.#writer.post({ op: 'retain', connectionId, maxEvents, maxDays, now: this.#clock() })
  }

  #tick(): void {
    this.#writer.post({ op: 'tick', now: this.#clock() })
  }

  #read(question: { op: string } & Record<string, unknown>) {
    return this.#reader.ask(question).catch(throwUnavailable)
  }

  async #write(question: { op: string } & Record<string, unknown>) {
    try {
      return await this.#writer.ask(question)
    } catch (error) {
      if (!isFull(error) || !(await this.#makeRoom())) return throwUnavailable(error)
      return this.#writer.ask(question).catch(throwUnavailable)
    }
  }
}

const none: readonly never[] = []

function listQuery({ eventName, text, before, limit }: EventLogQuery) {
  const beforeSeq = before === undefined ? Number.MAX_SAFE_INTEGER : sequenceOfEventId(before)
  if (beforeSeq === null) throw invalid('before', 'Must be an event id.')
  requireLimit(limit)
  return { eventName: eventName ?? null, text: text || null, before: beforeSeq, limit }
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw unexpected()
  return value
}

function storageUnavailable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const detail = error instanceof Error ? `The event log cannot be used: ${error.message}` : undefined
  return new ServiceError('storage_unavailable', { cause: error, ...(detail && { detail }) })
}

function throwUnavailable(error: unknown): never {
  throw storageUnavailable(error)
}
