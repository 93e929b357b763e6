import { endStates, type NewRunRow } from '../../rows/run-rows.ts'
import type { AppendBatch, RunBatch } from './protocol.ts'

/**
 * id, event, queuedAt, dueAt, the end's state and endedAt; the indexes of workflowId, workspaceId, connectionId, lane and
 * summary among the names; where the data is, its length, and the lengths of error and steps.
 */
const numbersPerRun = 15

/** An absent number or text. */
const absent = -1
/** The data is a text of its own. Any other place is an offset in the events' text, or among their large bodies. */
const own = -2
const firstBody = -3

/** Returns the place of a large body. */
export function placeAmongBodies(index: number): number {
  return firstBody - index
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Runs on their way to the writer. Cloning an object for each run costs several times as much. */
export class RunsOfBatch {
  count = 0
  /** How many of them have not ended already. */
  waiting = 0
  #numbers: number[] = []
  #names = new Map<string, number>()
  #text = ''

  /** The length of its own texts. */
  get textLength(): number {
    return this.#text.length
  }

  /** @param body of the event before and its place: the data of the runs that it starts. */
  add(row: NewRunRow, body: { readonly text: string; readonly from: number }): void {
    const { id, event, queuedAt, dueAt = absent, data, ended } = row
    const isShared = data !== null && data === body.text
    if (!isShared && data !== null) this.#text += data
    if (ended !== undefined) this.#text += (ended.error ?? '') + ended.steps
    this.count++
    if (ended === undefined) this.waiting++
    this.#numbers.push(
      id,
      event ?? absent,
      queuedAt,
      dueAt,
      ended === undefined ? absent : endStates.indexOf(ended.state),
      ended?.endedAt ?? absent,
      this.#name(row.workflowId),
      this.#name(row.workspaceId),
      this.#name(row.connectionId),
      row.lane === null ? absent : this.#name(row.lane),
      this.#name(row.summary),
      isShared ? body.from : own,
      data?.length ?? absent,
      ended?.error?.length ?? absent,
      ended?.steps.length ?? absent,
    )
  }

  /** Returns the runs for the writer, once: it keeps only their number and the length of their texts. */
  message(): RunBatch {
    const [numbers, names] = [this.#numbers, [...this.#names.keys()]]
    this.#numbers = []
    this.#names = new Map()
    return [this.#text, numbers, names]
  }

  #name(text: string): number {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    this.#names.set(text, this.#names.size)
    return this.#names.size - 1
  }
}

/** Returns the runs of a batch, in order. */
export function* runsOf([eventsText, , , bodies = [], runs]: AppendBatch): Generator<NewRunRow> {
  if (runs === undefined) return
  const [text, numbers, names] = runs
  let decoded = { from: absent, text: '' }
  let at = 0
  const take = (length: number) => {
    if (length === absent) return null
    at += length
    return text.slice(at - length, at)
  }
  const bodyAt = (from: number, length: number) => {
    if (from >= 0) return eventsText.slice(from, from + length)
    // Often several runs have the same.
    if (decoded.from !== from) decoded = { from, text: decoder.decode(bodies[firstBody - from]) }
    return decoded.text
  }
  for (let i = 0; i < numbers.length; i += numbersPerRun) {
    const numberAt = (offset: number) => numbers[i + offset]!
    const nameAt = (offset: number) => names[numberAt(offset)]!
    const [dueAt, from, length] = [numberAt(3), numberAt(11), numberAt(12)]
    const row = {
      id: numberAt(0),
      event: numberAt(1) === absent ? null : numberAt(1),
      queuedAt: numberAt(2),
      ...(dueAt === absent ? {} : { dueAt }),
      workflowId: nameAt(6),
      workspaceId: nameAt(7),
      connectionId: nameAt(8),
      lane: numberAt(9) === absent ? null : nameAt(9),
      summary: nameAt(10),
      data: from === own ? take(length) : bodyAt(from, length),
    }
    const error = take(numberAt(13))
    const steps = take(numberAt(14))
    const state = endStates[numberAt(4)]
    yield steps === null || state === undefined
      ? row
      : { ...row, ended: { state, endedAt: numberAt(5), error, steps } }
  }
}
