import type { SQLOutputValue } from 'node:sqlite'
import { eventIdOf, idOf, numberOfId, sequenceOfEventId, sequenceOfTime } from '#main/lib/sequence.ts'
import type { DeduplicationKey } from '#main/storage/deduplication-key.ts'
import type { LoggedEvent, NewEvent } from '#main/storage/event-log.ts'
import {
  type EndedRun,
  type FanOut,
  isFanOut,
  maxStepText,
  type NewRun,
  type NewRuns,
  type Run,
  type RunEnd,
  type RunQuery,
  type RunStep,
  runStates,
  type Started,
} from '#main/storage/runs.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { splitCall, withCall } from '../call-text.ts'
import { sealedPrefix } from '../sealing.ts'
import { fromStored, fromStoredOrNull, integer, StoredValueError } from './stored-text.ts'

/** The values of the column `state`: indexes into `runStates`. The indexes of the table name these numbers. */
export const state = { waiting: 0, retrying: 1, running: 2, succeeded: 3, failed: 4, cancelled: 5 } as const

/** How a run ended, as the writer takes it. */
export type EndRow = Pick<RunEnd, 'state' | 'endedAt' | 'error'> & { readonly steps: string }

/** A run on its way to the writer, or a fan-out: its `workflowId` is the JSON of all ids of workflows. */
export type NewRunRow = Omit<NewRun, 'connectionId' | 'lane' | 'data' | 'ended'> & {
  readonly id: number
  /** Null for a fan-out. */
  readonly lane: string | null
  /** Empty for none. */
  readonly connectionId: string
  readonly event: number | null
  /** Null where it was discarded. */
  readonly data: string | null
  readonly ended?: EndRow
}

/** The states of `EndRow` by their numbers on the way to the writer. */
export const endStates: readonly RunEnd['state'][] = ['succeeded', 'failed', 'cancelled']

/** The events and runs that a batch has left out because a key was kept already. */
export type LeftOut = {
  /** Events, with all their runs, each with the event that has its key; 0 if that is not known. */
  readonly events: ReadonlyMap<number, number>
  /** Runs, with the run that has the key. */
  readonly runs: ReadonlyMap<number, number>
  /** Events of such runs, each with the run that has the first such key. */
  readonly duplicates: ReadonlyMap<number, number>
}

/** Returns a run as the writer takes it. */
function newRowOf({ ended, ...run }: NewRun, id: number, event: number | null): NewRunRow {
  const columns = { ...run, connectionId: run.connectionId ?? '', id, event }
  if (ended === undefined) return columns
  return { ...columns, data: ended.discard ? null : run.data, ended: endRowOf(ended, run.queuedAt) }
}

export function endRowOf({ state, endedAt, error, discard, steps }: EndedRun, startedAt: number): EndRow {
  return { state, endedAt, error, steps: textOfSteps(steps, startedAt, discard) }
}

/** The JSON of each array of workflows, which many events share. */
const listTexts = new WeakMap<readonly string[], string>()

/** Returns a fan-out as the writer takes it. */
function fanOutRowOf({ workflowIds, ...run }: FanOut, id: number, event: number | null): NewRunRow {
  const workflowId = listTexts.get(workflowIds) ?? JSON.stringify(workflowIds)
  listTexts.set(workflowIds, workflowId)
  return { ...run, workflowId, lane: null, connectionId: run.connectionId ?? '', id, event }
}

/** The key of a run, or of an event if `run` is null. */
export type NewKey = DeduplicationKey & {
  readonly run: number | null
  readonly event: number | null
  /** The runs that the key of an event keeps from being stored, where their rows do not name the event. */
  readonly runs?: readonly number[]
  /** The other events of its request, which the key of the first keeps from being stored, too. */
  readonly others?: readonly number[]
}

/** Returns what is kept with a key: its run, or its event; null for an event without a number of its own. */
export function holderOf({ run, event }: NewKey): number | null {
  return run ?? (event !== null && event > 0 ? event : null)
}

/**
 * Returns new runs as the writer takes them, the number of the event that starts them, and its key. For runs with a key
 * that no event has started, the number is negative and stands for one.
 *
 * @param nextId takes so many ids, one by default, and returns the first.
 * @param eventKey a key of the event.
 * @throws RangeError for a text that is not an event id.
 */
export function newRowsOf(
  runs: NewRuns,
  eventId: string | null,
  nextId: (count?: number) => number,
  eventKey?: DeduplicationKey,
): { readonly rows: NewRunRow[]; readonly event: number | null; readonly key: NewKey | null } {
  const event = eventId === null ? null : sequenceOfEventId(eventId)
  if (eventId !== null && event === null) throw new RangeError(`Not an event id: ${eventId}`)
  const rows = runs.map(run =>
    isFanOut(run) ? fanOutRowOf(run, nextId(run.workflowIds.length), event) : newRowOf(run, nextId(), event),
  )
  if (eventKey === undefined) return { rows, event, key: null }
  if (event !== null) return { rows, event, key: { ...eventKey, run: null, event } }
  const alone = -nextId()
  return { rows, event: alone, key: { ...eventKey, run: null, event: alone, runs: rows.map(({ id }) => id) } }
}

/** An event on its way to the writer, or null if it is not stored, with its number and its runs. */
export type NewEventRow = {
  readonly event: LoggedEvent | null
  readonly seq: number
  readonly runs: readonly NewRunRow[]
}

/** Returns the events of one request as the writer takes them, and their key. For the parameters see `appendAll`. */
export function newEventRowsOf(
  events: readonly NewEvent[],
  persists: boolean,
  nextId: (count?: number) => number,
  eventKey?: DeduplicationKey,
): { readonly events: readonly NewEventRow[]; readonly key: NewKey | null } {
  const all = events.map(({ event, runs }): NewEventRow => {
    const { rows, event: seq } = newRowsOf(runs, event.eventId, nextId)
    return { event: persists ? event : null, seq: seq ?? 0, runs: rows }
  })
  const [first, ...others] = all.map(({ seq }) => seq)
  if (eventKey === undefined || first === undefined) return { events: all, key: null }
  return { events: all, key: { ...eventKey, run: null, event: first, others } }
}

/**
 * Returns the steps of a run that has ended already, each as `[path, type, input, output]`. What differs from a first
 * attempt that succeeded at the start of the run is a fifth entry, which most have not.
 */
function textOfSteps(steps: readonly RunStep[], runStartedAt: number, discard: boolean): string {
  const kept = steps.map(step => {
    const { path, type, attempt, startedAt, endedAt, error, callId, absent } = step
    const { input, output, isCut } = textsOf(step)
    const fields = discard ? [path, type, null, null] : [path, type, input, output]
    const isPlain = attempt === 1 && startedAt === runStartedAt && endedAt === runStartedAt
    if (isPlain && error === null && callId === null && absent.length === 0 && isCut === undefined)
      return fields
    return [...fields, { attempt, startedAt, endedAt, error, callId, absent, isCut }]
  })
  return JSON.stringify(kept)
}

/** Returns a step whose input and output are no longer than is stored. */
function shortened(step: RunStep): RunStep {
  const { input, output } = step
  if ((input?.length ?? 0) <= maxStepText && (output?.length ?? 0) <= maxStepText) return step
  const cut = (text: string | null) => text?.slice(0, maxStepText) ?? null
  return { ...step, input: cut(input), output: cut(output), isCut: true }
}

/**
 * Stands in the column of the input of a private attempt, and before the output whose sealed text was deleted. Neither is
 * JSON, which everything else in these columns is, so that versions that do not know them show nothing.
 */
const privateMark = 'private'
const deletedMark = 'deleted'

/** Returns input and output of an attempt as they are stored: a sealed output is before the one that is shown. */
export function textsOf(step: RunStep) {
  const kept = shortened(step)
  const { input, isPrivate, sealed, isCut } = kept
  const output = withCall(kept)
  return {
    isCut,
    input: isPrivate ? privateMark : input,
    output: sealed === undefined ? output : `${sealed ?? deletedMark}\n${output ?? ''}`,
  }
}

/** Returns the SQL value of the column of an output without its sealed text. @param lineBreak finds a line break in it. */
export const deletedInSql = (lineBreak: string) => `'${deletedMark}' || substr(output, ${lineBreak})`

type Texts = Pick<RunStep, 'input' | 'output' | 'isPrivate' | 'sealed' | 'call'>

/** Returns what `textsOf` has written. */
function fromTexts(input: string | null, output: string | null): Texts {
  const shown = output === null ? { output } : fromOutput(output)
  return input === privateMark ? { input: null, isPrivate: true, ...shown } : { input, ...shown }
}

function fromOutput(text: string): Pick<Texts, 'output' | 'sealed' | 'call'> {
  const isDeleted = text.startsWith(`${deletedMark}\n`)
  if (!isDeleted && !text.startsWith(sealedPrefix)) return splitCall(text)
  const end = text.indexOf('\n')
  return { ...splitCall(text.slice(end + 1) || null), sealed: isDeleted ? null : text.slice(0, end) }
}

type Row = Record<string, SQLOutputValue>

const prefix = 'run_'

export const runIdOf = (id: number) => idOf(prefix, id)

const noDuplicates: ReadonlySet<number> = new Set()

export const idsOf = (rows: readonly NewRunRow[]) => rows.map(({ id }) => id)

/** Returns what became of runs. @param ids of the runs. @param event of them. @param leftOut of their batch. */
export function startedOf(ids: readonly number[], event: number | null, leftOut: LeftOut | null): Started {
  if (leftOut === null)
    return { ids: ids.map(id => runIdOf(id)), duplicates: noDuplicates, isRepeated: false }
  const original = event === null ? undefined : leftOut.events.get(event)
  if (original !== undefined) {
    const repeated = { ids: [], duplicates: noDuplicates, isRepeated: true }
    return original > 0 ? { ...repeated, repeatOf: eventIdOf(original) } : repeated
  }
  return {
    ids: ids.map(id => runIdOf(leftOut.runs.get(id) ?? id)),
    duplicates: new Set(ids.flatMap((id, index) => (leftOut.runs.has(id) ? index : []))),
    isRepeated: false,
  }
}

/** Returns the number of a run id; null for any other text. */
export const numberOfRunId = (text: string) => numberOfId(prefix, text)

/** Returns the first id that a run of a time or later may have; 0 without a time. */
export function firstIdOf({ since }: Pick<RunQuery, 'since'>): number {
  return since === undefined ? 0 : sequenceOfTime(since)
}

/** @throws StoredValueError for values that no run has. */
export function runOf(row: Row): Run {
  const found = runStates[integer(row.state)]
  if (found === undefined) throw new StoredValueError('A run has a state that does not exist.')
  return {
    runId: runIdOf(integer(row.id)),
    workflowId: fromStored(row.workflow),
    workspaceId: fromStored(row.workspace),
    connectionId: fromStored(row.connection) || null,
    eventId: row.event === null ? null : eventIdOf(integer(row.event)),
    lane: fromStored(row.lane),
    state: found,
    dueAt: row.due_at === 0 ? null : integer(row.due_at),
    claimNumber: integer(row.attempt),
    queuedAt: integer(row.queued_at),
    startedAt: integerOrNull(row.started_at),
    endedAt: integerOrNull(row.ended_at),
    error: fromStoredOrNull(row.error),
    summary: fromStored(row.summary),
  }
}

/** Returns the name of a run's event; empty for a summary without one. */
export function eventNameOf({ summary }: Pick<Run, 'summary'>): string {
  const found = parsed(summary)
  return isObject(found) && typeof found.eventName === 'string' ? found.eventName : ''
}

/** Returns null for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return null
  }
}

export function stepOf(row: Row): RunStep {
  const step = {
    path: fromStored(row.path),
    type: fromStored(row.type),
    attempt: integer(row.attempt),
    startedAt: integer(row.started_at),
    endedAt: integerOrNull(row.ended_at),
    ...fromTexts(fromStoredOrNull(row.input), fromStoredOrNull(row.output)),
    error: fromStoredOrNull(row.error),
    callId: fromStoredOrNull(row.call),
    absent: namesOf(fromStored(row.absent)),
  }
  return row.is_cut === 1 ? { ...step, isCut: true } : step
}

/** Returns the steps of a run that had ended when it was stored. @throws StoredValueError */
export function stepsOfText(stored: string, runStartedAt: number): RunStep[] {
  const steps = parsed(stored)
  if (!Array.isArray(steps)) throw new StoredValueError('The steps of a run cannot be read.')
  return steps.map((step: unknown) => stepOfJson(step, runStartedAt))
}

/**
 * Checks by hand: this runs in each of the log's threads, and loading zod would double the time of their start.
 *
 * @throws StoredValueError
 */
function stepOfJson(stored: unknown, runStartedAt: number): RunStep {
  const [path, type, input, output, rest = {}]: unknown[] = Array.isArray(stored) ? stored : named(stored)
  if (!isObject(rest)) throw new StoredValueError('A step of a run cannot be read.')
  const { isCut, endedAt = runStartedAt, error = null, callId = null } = rest
  const { attempt = 1, startedAt = runStartedAt, absent = [] } = rest
  const step = {
    path: fromStored(path),
    type: fromStored(type),
    ...fromTexts(fromStoredOrNull(input), fromStoredOrNull(output)),
    error: fromStoredOrNull(error),
    callId: fromStoredOrNull(callId),
    attempt: wholeNumber(attempt),
    startedAt: wholeNumber(startedAt),
    endedAt: endedAt === null ? null : wholeNumber(endedAt),
    absent: textList(absent),
  }
  if (isCut === undefined) return step
  if (isCut !== true) throw new StoredValueError('A step of a run cannot be read.')
  return { ...step, isCut }
}

/** Returns the fields of a step that an earlier version has stored by their names. @throws StoredValueError */
function named(stored: unknown): unknown[] {
  if (!isObject(stored)) throw new StoredValueError('A step of a run cannot be read.')
  return [stored.path, stored.type, stored.input, stored.output, stored]
}

/** Parsed JSON has fractions, unlike a column of integers. */
function wholeNumber(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new StoredValueError('Expected an integer in a step of a run.')
  return integer(value)
}

function textList(value: unknown): string[] {
  if (!Array.isArray(value)) throw new StoredValueError('Expected a list of texts.')
  return value.map((item: unknown) => fromStored(item))
}

const namesOf = (text: string) => (text === '' ? [] : textList(JSON.parse(text)))

const integerOrNull = (value: unknown) => (value === null ? null : integer(value))
