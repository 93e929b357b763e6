import { ServiceError } from '#shared/errors.ts'
import type { LoggedEvent } from '../event-log.ts'
import { requireStorable, seqToStore } from '../rows/event-rows.ts'
import type { LeftOut, NewKey, NewRunRow } from '../rows/run-rows.ts'

/** Limits of what waits for the database. Beyond either, senders have to retry later. */
const mostEvents = 20_000
const mostText = 256 * 1024 * 1024

/** Larger batches, and more of them at once, make each other slower. */
const batchEvents = 128
const batchRows = 1000
const batchText = 4 * 1024 * 1024
const mostInFlight = 4
/** The smallest batch that is sent while others are under way. */
const worthSending = 16

/** An event, or null if only its runs are started. */
export type Entry = {
  readonly seq: number | null
  readonly event: LoggedEvent | null
  readonly runs: readonly NewRunRow[]
}

/** The events that one request appends, which wait for its batch. */
export type Waiting = {
  readonly entries: readonly Entry[]
  readonly key: NewKey | null
  /** The version of the configuration that it was decided by. */
  readonly version: number
  /** Whether it has to be stored before those after it. */
  readonly isSerial: boolean
  readonly size: number
  resolve(leftOut: LeftOut | null): void
  reject(error: unknown): void
}

/** Collects events and runs in batches. Only one batch of those that must keep their order is under way at a time. */
export class AcceptQueue {
  readonly #mayWork
  readonly #store: (batch: readonly Waiting[]) => Promise<LeftOut | null>
  readonly #waiting: Waiting[] = []
  readonly #inFlight = new Set<Promise<void>>()
  #isSerialInFlight = false
  #isScheduled = false
  #text = 0
  #events = 0
  #newestSeq: number
  #isClosed = false

  /**
   * @param store makes a batch durable, and returns what it has left out because a key is kept already.
   * @param newestSeq of the events that are stored.
   * @param mayWork whether this process may store anything, with this as its largest number.
   */
  constructor(
    store: (batch: readonly Waiting[]) => Promise<LeftOut | null>,
    newestSeq: number,
    mayWork: (number?: number) => boolean,
  ) {
    this.#mayWork = mayWork
    this.#store = store
    this.#newestSeq = newestSeq
  }

  /** Takes note of an event before anything may wait. @throws RangeError if it is not newer than those before. */
  note(event: LoggedEvent): void {
    const seq = seqToStore(event)
    if (seq <= this.#newestSeq) throw new RangeError(`Event ids must grow: ${event.eventId}`)
    this.#newestSeq = seq
  }

  /**
   * Resolves when all of it is durable.
   *
   * @param version of the configuration that it was decided by.
   * @throws ServiceError `unavailable`; RangeError for what cannot be stored.
   */
  append(
    event: LoggedEvent | null,
    runs: readonly NewRunRow[],
    key: NewKey | null,
    isSerial: boolean,
    version: number,
  ) {
    return this.appendAll([{ event, runs }], key, isSerial, version)
  }

  /** The same for the events of one request: one transaction stores all of them or none. */
  appendAll(
    events: readonly Pick<Entry, 'event' | 'runs'>[],
    key: NewKey | null,
    isSerial: boolean,
    version: number,
  ) {
    return new Promise<LeftOut | null>((resolve, reject) => {
      if (this.#isClosed) throw unavailable('The event log is closed.')
      let [newest, size] = [0, 0]
      const entries = events.map(({ event, runs }): Entry => {
        const seq = event === null ? null : seqToStore(event)
        for (const run of runs) requireStorable(run)
        newest = Math.max(newest, seq ?? 0, ...runs.map(({ id }) => id))
        size += sizeOf(event, runs)
        return { seq, event, runs }
      })
      this.#requireMayWork(newest)
      if (this.#events >= mostEvents || this.#text >= mostText)
        throw unavailable('Too much is waiting to be written.')
      if (key !== null && !Number.isSafeInteger(key.until))
        throw new RangeError('The times of a key must be whole.')
      this.#text += size
      this.#events += entries.length
      this.#waiting.push({ entries, key, version, isSerial, size, resolve, reject })
      this.#schedule()
    })
  }

  /** How many events, or starts of runs without one, wait to become durable. */
  get size(): number {
    return this.#events
  }

  /** Resolves when all that was appended by now is settled, durable or not. */
  async flush(): Promise<void> {
    const last = this.#waiting.at(-1)
    while (last !== undefined && this.#waiting.includes(last)) {
      this.#send(1)
      await Promise.race(this.#inFlight)
    }
    await Promise.all(this.#inFlight)
  }

  /** Refuses all from now on. Resolves when all that was accepted is settled. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    // After all sockets with data were read.
    setImmediate(() => {
      this.#isScheduled = false
      this.#send(worthSending)
    })
  }

  #send(worth: number): void {
    while (
      this.#waiting.length > 0 &&
      (this.#inFlight.size === 0 || (this.#inFlight.size < mostInFlight && this.#waiting.length >= worth))
    ) {
      const batch = this.#take()
      if (batch.length === 0) return
      const sent = this.#settle(batch).finally(() => {
        this.#inFlight.delete(sent)
        this.#send(worthSending)
      })
      this.#inFlight.add(sent)
    }
  }

  #take(): Waiting[] {
    let [count, events, rows, text] = [0, 0, 0, 0]
    for (const { isSerial, entries, size } of this.#waiting) {
      if (isSerial && this.#isSerialInFlight) break
      const runs = entries.reduce((sum, one) => sum + one.runs.length, 0)
      const fits =
        events + entries.length <= batchEvents && rows + runs <= batchRows && text + size <= batchText
      if (count > 0 && !fits) break
      count++
      events += entries.length
      rows += runs
      text += size
    }
    return this.#waiting.splice(0, count)
  }

  #requireMayWork(number?: number): void {
    if (!this.#mayWork(number)) throw unavailable('The database has not confirmed this service for too long.')
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    const isSerial = batch.some(one => one.isSerial)
    if (isSerial) this.#isSerialInFlight = true
    try {
      // It may have waited for long.
      this.#requireMayWork()
      const leftOut = await this.#store(batch)
      for (const one of batch) one.resolve(leftOut)
    } catch (error) {
      const failure = new ServiceError('unavailable', { cause: error })
      for (const one of batch) one.reject(failure)
    } finally {
      if (isSerial) this.#isSerialInFlight = false
      for (const { entries, size } of batch) {
        this.#events -= entries.length
        this.#text -= size
      }
    }
  }
}

function sizeOf(event: LoggedEvent | null, runs: readonly NewRunRow[]): number {
  let size = event === null ? 0 : event.bodyText.length + event.headerLines.length
  for (const { data, ended } of runs) size += (data?.length ?? 0) + (ended?.steps.length ?? 0)
  return size
}

export function unavailable(reason: string): ServiceError {
  return new ServiceError('unavailable', { cause: new Error(reason) })
}
