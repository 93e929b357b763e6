import { createSequence, eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { DeduplicationKey } from '#main/storage/deduplication-key.ts'
import type {
  EventLog,
  EventLogPage,
  EventLogQuery,
  EventRange,
  EventSummaryPage,
  EventSummaryQuery,
  LoggedEvent,
  NewEvent,
} from '#main/storage/event-log.ts'
import type { LaneLimits, NewRuns, RunBounds, Started } from '#main/storage/runs.ts'
import { dayMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Retention } from '#shared/model/connection.ts'
import { pageStart } from '../../rows/page-query.ts'
import { type SearchBounds, searchBounds } from '../../rows/search-budget.ts'
import { clockSettleMs } from '../plausible-time.ts'
import { type AppendHealth, createAppendHealth } from './append-health.ts'
import { AppendQueue } from './append-queue.ts'
import type { Copied } from './backup.ts'
import { databaseFailure } from './database-failure.ts'
import type { ReaderMethods } from './event-log-reader.ts'
import type { WriterMethods } from './event-log-writer.ts'
import { setAside, sizeOf } from './files.ts'
import { isDamage, isFull, lockTimeoutMs } from './own-database.ts'
import { type AppendBatch, type EventLogThreadOptions, shared } from './protocol.ts'
import { checkUpTo, finishRepair, repairEvery } from './repair.ts'
import { SqliteRuns, type WithRuns } from './sqlite-runs.ts'
import { ThreadLink } from './thread-link.ts'

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
  /** Maximum number of keys of a workflow or a connection; the oldest of more are dropped. */
  readonly mostKeys?: number
  readonly searchBounds?: Partial<SearchBounds> | undefined
  /** Bytes of the largest log that is checked completely when it is opened. */
  readonly checkUpTo?: number
  /** Receives errors that no caller waits for. */
  readonly onError?: (error: Error) => void
  /** Receives what the operator should know until the next start: events are lost or cannot be read. */
  readonly onNotice?: (sentence: string) => void
}

const defaultRoomToGrow = 64 * 1024 * 1024
const defaultMostRunsWaiting = 1_000_000
const defaultMostKeys = 1_000_000
const defaultRunBounds: RunBounds = { mostPerWorkflow: 10_000, maxAgeMs: 30 * dayMs }

/** Milliseconds between two updates of the writer's time. */
const tickEvery = 60_000

/**
 * Opens the event log in `file`, or creates it. A damaged file is repaired, also when the damage is found later: what can
 * be read is copied to a new file, the damaged one is set aside (`<file>.corrupt-<time>`), and `onNotice` is told.
 *
 * @throws ServiceError `storage_unavailable` if it cannot be opened or a newer version of this program wrote it.
 */
export async function openSqliteEventLog(
  options: SqliteEventLogOptions,
): Promise<EventLog & Copied & WithRuns & Pick<AppendHealth, 'outage'> & { waiting(): number }> {
  const log = new SqliteEventLog(options)
  await log.open()
  return log
}

class SqliteEventLog implements EventLog, Copied {
  readonly outage = () => this.#health.outage()
  readonly runs: SqliteRuns
  nextEvent: () => number
  readonly setLanes = (limits: LaneLimits) => this.runs.setLanes(limits)
  readonly #file
  readonly #clock
  readonly #onError
  readonly #onNotice
  readonly #makeRoom
  readonly #isExpected
  readonly #options: EventLogThreadOptions
  readonly #retentions = new Map<string, Retention>()
  /** Those that the writer does not know yet. */
  readonly #newRetentions = new Map<string, Retention>()
  readonly #queue: AppendQueue
  readonly #health: AppendHealth
  #writer: ThreadLink<WriterMethods>
  #reader: ThreadLink<ReaderMethods>
  #ticking: NodeJS.Timeout | undefined
  #closed: Promise<void> | null = null
  #isDamageReported = false
  #repairing: Promise<boolean> | null = null
  #repairedAt = Number.NEGATIVE_INFINITY

  constructor(options: SqliteEventLogOptions) {
    const { file, clock = Date.now, onError = () => {}, onNotice = () => {} } = options
    this.#file = file
    this.#clock = clock
    this.nextEvent = createSequence(clock)
    this.#onError = onError
    this.#onNotice = onNotice
    this.#isExpected = options.isExpected === true
    this.#makeRoom = options.makeRoom ?? (async () => false)
    const counters = new SharedArrayBuffer(shared.length * Int32Array.BYTES_PER_ELEMENT)
    this.#health = createAppendHealth(counters, () => this.#writer.call('probe', 0))
    this.#options = {
      file,
      maxPages: options.maxPages ?? null,
      checkUpTo: options.checkUpTo ?? checkUpTo,
      isDamaged: false,
      lockTimeoutMs: options.lockTimeoutMs ?? lockTimeoutMs,
      roomToGrow: options.roomToGrow ?? defaultRoomToGrow,
      clockSettleMs: options.clockSettleMs ?? clockSettleMs,
      startsFull: options.startsFull === true,
      runBounds: options.runBounds ?? defaultRunBounds,
      mostKeys: options.mostKeys ?? defaultMostKeys,
      searchBounds: { ...searchBounds, ...options.searchBounds },
      counters,
    }
    const mostWaiting = options.mostRunsWaiting ?? defaultMostRunsWaiting
    const waiting = new Int32Array(counters)
    this.#queue = new AppendQueue(
      batch => this.#writer.post(batch, buffersOf(batch)),
      clock,
      more => Atomics.load(waiting, shared.runsWaiting) + more <= mostWaiting,
    )
    this.runs = new SqliteRuns({
      append: (event, runs, key) => this.#queue.append(event, runs, key),
      appendAll: (events, key) => this.#queue.appendAll(events, key),
      isAppending: () => this.#queue.size > 0,
      flush: () => this.#queue.flush(),
      write: this.#write,
      read: this.#read,
      clock,
      onError: error => onError(error instanceof Error ? error : new Error(String(error))),
    })
    this.#writer = this.#newWriter()
    this.#reader = this.#newReader()
  }

  async open(): Promise<void> {
    try {
      finishRepair(this.#file)
      if (this.#isExpected) this.#reportLoss()
      await this.#openThreads().catch(error => this.#openRepaired(error))
      const newest = Math.max(0, await this.#read('newest'))
      this.nextEvent = createSequence(this.#clock, newest)
      await this.runs.recover(newest)
      this.#tick()
    } catch (error) {
      await this.#closeThreads()
      throwFailure(error)
    }
    this.#ticking = setInterval(() => this.#tick(), tickEvery).unref()
  }

  append(event: LoggedEvent, runs: NewRuns = none, key?: DeduplicationKey): Promise<Started | null> {
    if (runs.length === 0 && key === undefined) return this.#queue.append(event)
    return this.runs.append(event, runs, event.eventId, key)
  }

  appendAll(events: readonly NewEvent[], persists: boolean, key?: DeduplicationKey): Promise<Started[]> {
    return this.runs.appendAll(events, persists, key)
  }

  /** Returns how many events wait to become durable. */
  waiting(): number {
    return this.#queue.size
  }

  async list(connectionId: string, query: EventLogQuery): Promise<EventLogPage> {
    const below = pageStart(query, sequenceOfEventId)
    const page = { ...query, connectionIds: [connectionId], above: -1, below }
    const { events, more, damaged, checkedAbove, searched } = await this.#read('list', page)
    const nextBefore = more ? eventIdOf(checkedAbove + 1) : null
    return {
      ...{ events, nextBefore },
      ...(damaged > 0 && { damaged }),
      ...(searched !== null && { searched }),
    }
  }

  summaries(query: EventSummaryQuery): Promise<EventSummaryPage> {
    return this.#read('summaries', query)
  }

  async get(connectionId: string, eventId: string): Promise<LoggedEvent | null> {
    const seq = sequenceOfEventId(eventId)
    const event = seq === null ? null : await this.#read('get', connectionId, seq)
    if (event === 'damaged') throw new ServiceError('damaged_event')
    return event
  }

  async remove(connectionId: string, eventId: string): Promise<boolean> {
    const seq = sequenceOfEventId(eventId)
    return seq !== null && this.#write('remove', connectionId, seq)
  }

  async clear(connectionId: string): Promise<number> {
    // Events that wait in the queue would be written after the clearing.
    await this.#queue.flush()
    return this.#write('clear', connectionId)
  }

  async countBetween({ connectionIds, above, below }: EventRange): Promise<number> {
    // The writer counts all of a connection as they come.
    if (above < 0 && below === Number.MAX_SAFE_INTEGER) return this.#write('countAll', connectionIds)
    return this.#read('countBetween', connectionIds, above, below)
  }

  async countParts({ connectionIds, above, below }: EventRange, width: number): Promise<number[]> {
    return this.#read('countParts', connectionIds, above, below, width)
  }

  setRetention(connectionId: string, retention: Retention): void {
    this.#retentions.set(connectionId, retention)
    // One message for all that are set at once: the start sets those of ten thousand connections.
    if (this.#newRetentions.size === 0) {
      const now = this.#clock()
      queueMicrotask(() => {
        this.#writer.tell('retain', this.#newRetentions, now)
        this.#newRetentions.clear()
      })
    }
    this.#newRetentions.set(connectionId, retention)
  }

  async isWritable(bytes = 0): Promise<boolean> {
    return this.#writer.call('probe', bytes).then(
      () => true,
      () => false,
    )
  }

  backup(path: string): Promise<void> {
    return this.#read('backup', path)
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    clearInterval(this.#ticking)
    this.#health.close()
    await this.#repairing
    await this.#queue.drain('The event log is closed.')
    await this.#closeThreads()
  }

  /** Closes the writer last: the last connection to close merges the write-ahead log into the database. */
  async #closeThreads(): Promise<void> {
    await this.#reader.close()
    await this.#writer.close()
  }

  /** Reports damage only once: each read and each step of pruning may find it again. */
  #report(error: Error): void {
    if (!isDamage(error)) this.#onError(error)
    else if (!this.#isDamageReported) {
      this.#isDamageReported = true
      this.#onNotice(
        `The event log ${this.#file} is damaged: ${error.message}. Check the disk, and restore a backup if events are missing.`,
      )
    }
  }

  /**
   * Repairs the database: new threads copy what can be read of it. Reads and changes wait meanwhile, and events are
   * refused. Returns whether it was repaired; false if that was tried a short time ago.
   */
  #repair(cause: Error): Promise<boolean> {
    this.#repairing ??= this.#openRepaired(cause)
      .then(
        () => true,
        error => {
          this.#report(error)
          return false
        },
      )
      .finally(() => {
        this.#repairing = null
      })
    return this.#repairing
  }

  /** @throws the cause if it is not damage, or if damage was repaired a short time ago. */
  async #openRepaired(cause: Error): Promise<void> {
    const now = performance.now()
    if (!isDamage(cause) || this.#closed !== null || now < this.#repairedAt + repairEvery) throw cause
    this.#repairedAt = now
    this.#queue.halt('The event log is damaged and is being repaired.')
    await this.#closeThreads()
    this.#options.isDamaged = true
    this.#writer = this.#newWriter()
    this.#reader = this.#newReader()
    try {
      await this.#openThreads()
      this.#tick()
    } finally {
      // A thread that dies later is started again with these options.
      this.#options.isDamaged = false
    }
  }

  async #openThreads(): Promise<void> {
    await this.#writer.open()
    await this.#reader.open()
  }

  /** Reports a missing log, and reports an empty one and sets it aside. */
  #reportLoss(): void {
    const size = sizeOf(this.#file)
    if (size !== null && size > 0) return
    const state =
      size === null ? 'is missing' : `was empty and is kept as ${setAside(this.#file, this.#clock())}`
    const problem = `The event log ${this.#file} ${state}. A new one is started: restore a backup if events are missing.`
    this.#onNotice(problem)
  }

  #newWriter(): ThreadLink<WriterMethods> {
    return new ThreadLink('event-log-writer', this.#options, {
      onOpened: newestSeq => {
        this.#queue.resume(newestSeq)
        if (this.#retentions.size > 0) this.#writer.tell('retain', this.#retentions, this.#clock())
        this.#writer.tell('setLanes', this.runs.limits)
      },
      onBatches: (count, failure, leftOut) => {
        if (failure !== null) this.#health.failed(failure)
        this.#queue.settle(count, failure, leftOut)
      },
      onReport: error => {
        // Pruning deletes, too.
        if (isFull(error)) void this.#makeRoom()
        if (isDamage(error)) void this.#repair(error)
        else this.#onError(error)
      },
      onNotice: this.#onNotice,
      onDied: () => this.#queue.halt('The thread that writes events has ended and is started again.'),
    })
  }

  #newReader(): ThreadLink<ReaderMethods> {
    return new ThreadLink('event-log-reader', this.#options, {
      onReport: error => this.#report(error),
      onNotice: this.#onNotice,
    })
  }

  #tick(): void {
    this.#writer.tell('tick', this.#clock())
  }

  readonly #read: ThreadLink<ReaderMethods>['call'] = (name, ...args) =>
    this.#use(() => this.#reader.call(name, ...args))

  readonly #write: ThreadLink<WriterMethods>['call'] = (name, ...args) =>
    this.#use(() => this.#writer.call(name, ...args))

  /** Tries once more after damage was repaired, or after there is room again on a full disk. */
  async #use<Result>(act: () => Promise<Result>): Promise<Result> {
    await this.#repairing
    try {
      return await act()
    } catch (error) {
      const mayTryAgain =
        (error instanceof Error && isDamage(error) && (await this.#repair(error))) ||
        (isFull(error) && (await this.#makeRoom()))
      return mayTryAgain ? act().catch(throwFailure) : throwFailure(error)
    }
  }
}

const none: readonly never[] = []

const buffersOf = ([, , , bodies]: AppendBatch) => bodies?.map(({ buffer }) => buffer)

function throwFailure(error: unknown): never {
  throw databaseFailure('The event log cannot be used', error)
}
