import type { LoggedEvent } from '#main/storage/event-log.ts'
import { ServiceError } from '#shared/errors.ts'
import { requireStorable, seqToStore } from '../../rows/event-rows.ts'
import type { LeftOut, NewEventRow, NewKey, NewRunRow } from '../../rows/run-rows.ts'
import { Batch } from './batch.ts'
import type { AppendBatch } from './protocol.ts'

/** Limits of what waits for the disk: events, whose runs take no place of their own. Beyond either, senders have to retry later. */
const mostEvents = 20_000
const mostText = 256 * 1024 * 1024

/**
 * Limits of one batch; rows are events, runs and keys, and text is in UTF-16 units. The runs and keys of several events
 * change the same pages of the indexes, so that a transaction of more of them takes less for each.
 */
const batchEvents = 1000
const batchRows = 8000
const batchText = 4 * 1024 * 1024

/**
 * Batches that may be at the writer at once. It commits all that have arrived in one transaction, so it never waits for
 * this thread. Beyond this number the batches grow, the more the slower the disk.
 */
const mostInFlight = 4

/** The smallest batch that is sent while others are at the writer; a smaller one waits for their answer. */
const worthSending = 16

/**
 * Collects events in batches for the writer. A message between threads costs as much as many events, so a batch is sent
 * only after all sockets with data were read (setImmediate).
 */
export class AppendQueue {
  readonly #send: (batch: AppendBatch) => void
  readonly #clock: () => number
  readonly #isWithinRunQuota: (more: number) => boolean
  readonly #waiting: Batch[] = []
  #filling = new Batch()
  /** At the writer, oldest first. */
  #inFlight: Batch[] = []
  #scheduled = false
  /** Unsettled events, and those of their runs that will wait. */
  #events = 0
  #runs = 0
  #text = 0
  #newestSeq = -1
  /** Why the queue refuses events now. */
  #halted: string | null = null
  #isClosed = false
  #onEmpty: (() => void) | null = null

  /** @param isWithinRunQuota returns whether `more` runs may wait. */
  constructor(
    send: (batch: AppendBatch) => void,
    clock: () => number,
    isWithinRunQuota: (more: number) => boolean,
  ) {
    this.#send = send
    this.#clock = clock
    this.#isWithinRunQuota = isWithinRunQuota
  }

  /**
   * @param event null if only runs are started.
   * @param key of the event.
   * @returns what its batch has left out; null for nothing.
   * @throws ServiceError `unavailable`; RangeError for an event that is not newer than those before.
   */
  append(event: LoggedEvent): Promise<null>
  append(event: LoggedEvent | null, runs: readonly NewRunRow[], key?: NewKey | null): Promise<LeftOut | null>
  append(event: LoggedEvent | null, runs = none, key: NewKey | null = null): Promise<LeftOut | null> {
    const toWait = waitingAmong(runs)
    const refusal = this.#refusal(toWait)
    if (refusal !== null) return Promise.reject(unavailable(refusal))
    try {
      for (const run of runs) requireStorable(run)
      const batch = this.#filling
      const before = batch.size
      if (event !== null) {
        const seq = seqToStore(event)
        if (seq <= this.#newestSeq) throw new RangeError(`Event ids must grow: ${event.eventId}`)
        this.#newestSeq = seq
        batch.add(seq, event)
      }
      if (key !== null) batch.keys.push(key)
      if (runs.length > 0) {
        batch.addRuns(runs)
        this.#runs += toWait
      }
      const { promise } = this.#added(batch, 1, before).settled
      return runs.length === 0 && key === null ? promise : promise.then(() => batch.leftOut)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * Appends the events of one request, all in one batch: one transaction commits all of them or none.
   *
   * @param key of all of them. @returns and throws as `append` does.
   */
  async appendAll(events: readonly NewEventRow[], key: NewKey | null): Promise<LeftOut | null> {
    const toWait = events.reduce((sum, { runs }) => sum + waitingAmong(runs), 0)
    const refusal = this.#refusal(toWait)
    if (refusal !== null) throw unavailable(refusal)
    // All of it before the first is added.
    let newest = this.#newestSeq
    for (const { event, runs } of events) {
      for (const run of runs) requireStorable(run)
      if (event === null) continue
      const seq = seqToStore(event)
      if (seq <= newest) throw new RangeError(`Event ids must grow: ${event.eventId}`)
      newest = seq
    }
    this.#newestSeq = newest
    const batch = this.#filling
    const before = batch.size
    if (key !== null) batch.keys.push(key)
    for (const { event, seq, runs } of events) {
      if (event !== null) batch.add(seq, event)
      batch.addRuns(runs)
    }
    this.#runs += toWait
    await this.#added(batch, events.length, before).settled.promise
    return batch.leftOut
  }

  /** Returns why nothing can be appended; null if it can. @param toWait runs that will wait. */
  #refusal(toWait: number): string | null {
    if (this.#halted !== null) return this.#halted
    if (this.#events >= mostEvents || this.#text >= mostText) return 'Too much is waiting to be written.'
    const isWithin = toWait === 0 || this.#isWithinRunQuota(this.#runs + toWait)
    return isWithin ? null : 'Too many runs are waiting.'
  }

  /** Counts what was added to a batch, and sends the batch if it is full. @param before its size then. */
  #added(batch: Batch, places: number, before: number): Batch {
    batch.places += places
    this.#events += places
    this.#text += batch.size - before
    const isFull = batch.places >= batchEvents || batch.count >= batchRows || batch.size >= batchText
    if (isFull) this.#seal()
    this.#schedule()
    return batch
  }

  /** How many events, or starts of runs without one, wait to become durable. */
  get size(): number {
    return this.#events
  }

  /** Settles the `count` oldest batches at the writer; they are durable if `failure` is null. */
  settle(count: number, failure: string | null, leftOut: readonly (LeftOut | null)[] = []): void {
    for (const [index, batch] of this.#inFlight.splice(0, count).entries()) {
      this.#forget(batch)
      batch.leftOut = leftOut[index] ?? null
      if (failure === null) batch.settled.resolve(null)
      else batch.settled.reject(unavailable(failure))
    }
    this.#schedule()
    if (this.#events === 0) this.#onEmpty?.()
  }

  /** Accepts events again, each newer than `newestSeq`. Does nothing after `drain`. */
  resume(newestSeq: number): void {
    if (this.#isClosed) return
    this.#newestSeq = Math.max(this.#newestSeq, newestSeq)
    this.#halted = null
  }

  /** Refuses events from now on, and rejects all that wait. */
  halt(reason: string): void {
    this.#halted = reason
    this.#seal()
    for (const batch of this.#waiting.splice(0)) {
      this.#forget(batch)
      batch.settled.reject(unavailable(reason))
    }
    this.settle(this.#inFlight.length, reason)
  }

  /** Resolves when all events and runs that have been accepted by now are settled, durable or not. */
  async flush(): Promise<void> {
    this.#seal()
    this.#schedule()
    await Promise.allSettled([...this.#inFlight, ...this.#waiting].map(({ settled }) => settled.promise))
  }

  /** Refuses events for good. Resolves when all that were accepted are settled. */
  async drain(reason: string): Promise<void> {
    this.#isClosed = true
    this.#halted = reason
    if (this.#events > 0) await new Promise<void>(resolve => (this.#onEmpty = resolve))
  }

  /** Whether a batch should be sent now. */
  get #maySend(): boolean {
    const { count } = this.#filling
    if (this.#inFlight.length === 0) return this.#waiting.length > 0 || count > 0
    return this.#inFlight.length < mostInFlight && (this.#waiting.length > 0 || count >= worthSending)
  }

  #schedule(): void {
    if (this.#scheduled || !this.#maySend) return
    this.#scheduled = true
    setImmediate(this.#sendNext)
  }

  readonly #sendNext = () => {
    this.#scheduled = false
    if (!this.#maySend) return
    if (this.#waiting.length === 0) this.#seal()
    const batch = this.#waiting.shift()
    if (!batch) return
    this.#inFlight.push(batch)
    this.#send(batch.message(this.#clock()))
    this.#schedule()
  }

  #seal(): void {
    if (this.#filling.count === 0) return
    this.#waiting.push(this.#filling)
    this.#filling = new Batch()
  }

  #forget(batch: Batch): void {
    this.#events -= batch.places
    this.#runs -= batch.waiting
    this.#text -= batch.size
  }
}

const none: readonly NewRunRow[] = []

/** Returns how many of the runs have not ended already. */
function waitingAmong(runs: readonly NewRunRow[]): number {
  let count = 0
  for (const { ended } of runs) if (ended === undefined) count++
  return count
}

function unavailable(reason: string): ServiceError {
  return new ServiceError('unavailable', { cause: new Error(reason) })
}
