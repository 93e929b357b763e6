import type { LoggedEvent } from '#main/storage/event-log.ts'
import { flagsOf } from '../../rows/event-rows.ts'
import type { LeftOut, NewKey, NewRunRow } from '../../rows/run-rows.ts'
import type { AppendBatch } from './protocol.ts'
import { placeAmongBodies, RunsOfBatch } from './run-batch.ts'

/** seq, receivedAt, flags, then the lengths of connectionId, eventName, replayOf, headerLines, bodyText. */
export const numbersPerEvent = 8

/** The length of an absent replayOf, and of a body that is among `bodies`. */
const absent = -1

/** Events on their way to the writer. They share a promise: one transaction commits all of them or none. */
export class Batch {
  text = ''
  readonly numbers: number[] = []
  readonly #bodies: Uint8Array<ArrayBuffer>[] = []
  #bodiesLength = 0
  readonly #runs = new RunsOfBatch()
  /** How often something was added: an event with its runs, or runs alone. */
  places = 0
  /** The body of the newest event, and its place: an offset in `text`, or among the large bodies. */
  #body = { text: '', from: 0 }
  keys: NewKey[] = []
  readonly settled = Promise.withResolvers<null>()
  /** The events and runs that the writer has left out; null for none, and before it is settled. */
  leftOut: LeftOut | null = null

  /** The number of runs that have not ended already. */
  get waiting(): number {
    return this.#runs.waiting
  }

  /** The number of events, runs and keys. */
  get count(): number {
    return this.numbers.length / numbersPerEvent + this.#runs.count + this.keys.length
  }

  /** The length of all texts, in UTF-16 units, and of the large bodies in bytes. */
  get size(): number {
    return this.text.length + this.#bodiesLength + this.#runs.textLength
  }

  addRuns(runs: readonly NewRunRow[]): void {
    for (const run of runs) {
      this.#runs.add(run, this.#body)
      if (run.deduplicationKey !== undefined)
        this.keys.push({ ...run.deduplicationKey, run: run.id, event: run.event })
    }
  }

  add(seq: number, event: LoggedEvent): void {
    const { connectionId, eventName, replayOf, reading, bodyText, bodyBytes } = event
    const headerLines = reading === undefined ? event.headerLines : `${reading}\n${event.headerLines}`
    // The engine only remembers the parts until the message is written.
    this.text += connectionId + eventName + (replayOf ?? '') + headerLines
    if (bodyBytes === undefined) {
      this.#body = { text: bodyText, from: this.text.length }
      this.text += bodyText
    } else {
      this.#body = { text: bodyText, from: placeAmongBodies(this.#bodies.length) }
      this.#bodies.push(bodyBytes)
      this.#bodiesLength += bodyBytes.length
    }
    this.numbers.push(
      seq,
      event.receivedAt,
      flagsOf(event),
      connectionId.length,
      eventName.length,
      replayOf === null ? absent : replayOf.length,
      headerLines.length,
      bodyBytes === undefined ? bodyText.length : absent,
    )
  }

  message(now: number): AppendBatch {
    // Most batches have neither large bodies nor runs, and few have keys.
    if (this.keys.length > 0) {
      const { keys } = this
      this.keys = []
      return [this.text, this.numbers, now, this.#bodies, this.#runs.message(), keys]
    }
    if (this.#runs.count > 0) return [this.text, this.numbers, now, this.#bodies, this.#runs.message()]
    if (this.#bodies.length > 0) return [this.text, this.numbers, now, this.#bodies]
    return [this.text, this.numbers, now]
  }
}

export type BatchRow = {
  seq: number
  receivedAt: number
  flags: number
  connectionId: string
  eventName: string
  replayOf: string | null
  headerLines: string
  /** The text, or its bytes in UTF-8. */
  body: string | Uint8Array
}

/** Returns the events of a batch, in order. */
export function* rowsOf([text, numbers, , bodies = []]: AppendBatch): Generator<BatchRow> {
  let at = 0
  let body = 0
  const take = (length: number) => {
    at += length
    return text.slice(at - length, at)
  }
  for (let i = 0; i < numbers.length; i += numbersPerEvent) {
    const connectionId = take(numbers[i + 3]!)
    const eventName = take(numbers[i + 4]!)
    const replayOf = numbers[i + 5] === absent ? null : take(numbers[i + 5]!)
    yield {
      seq: numbers[i]!,
      receivedAt: numbers[i + 1]!,
      flags: numbers[i + 2]!,
      connectionId,
      eventName,
      replayOf,
      headerLines: take(numbers[i + 6]!),
      body: numbers[i + 7] === absent ? bodies[body++]! : take(numbers[i + 7]!),
    }
  }
}

/** Returns the length of the texts of a batch's events. */
export function lengthOf([text, , , bodies = []]: AppendBatch): number {
  return bodies.reduce((sum, { length }) => sum + length, text.length)
}
