import type { SQLOutputValue } from 'node:sqlite'
import { z } from 'zod'
import { eventIdOf, idOf, numberOfId } from '#main/lib/sequence.ts'
import {
  maxStepText,
  type NewRun,
  type Run,
  type RunEnd,
  type RunStep,
  runStates,
} from '#main/storage/runs.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { subjectOf } from '#shared/model/subject.ts'
import { fromStored, fromStoredOrNull, integer, StoredValueError } from './stored-text.ts'

/** The values of the column `state`: indexes into `runStates`. The indexes of the table name these numbers. */
export const state = { waiting: 0, retrying: 1, running: 2, succeeded: 3, failed: 4, cancelled: 5 } as const

/** A run on its way to the writer. */
export type NewRunRow = Omit<NewRun, 'data' | 'ended'> & {
  readonly id: number
  readonly event: number | null
  /** Null where it was discarded. */
  readonly data: string | null
  readonly ended?: Pick<RunEnd, 'state' | 'endedAt' | 'error'> & { readonly steps: string }
}

/** Returns a run as the writer takes it. */
export function newRowOf({ ended, ...run }: NewRun, id: number, event: number | null): NewRunRow {
  if (ended === undefined) return { ...run, id, event }
  const { state, endedAt, error, discard, steps } = ended
  const row = { state, endedAt, error, steps: textOfSteps(steps, run.queuedAt, discard) }
  return { ...run, id, event, data: discard ? null : run.data, ended: row }
}

/** Returns the steps of a run that has ended already, without what `stepsOfText` adds: most are the same each time. */
function textOfSteps(steps: readonly RunStep[], startedAt: number, discard: boolean): string {
  const kept = steps.map(step => {
    const { path, type, attempt, input, output, error, callId, absent, isCut } = shortened(step)
    return {
      path,
      type,
      input: discard ? null : input,
      output: discard ? null : output,
      attempt: attempt === 1 ? undefined : attempt,
      startedAt: step.startedAt === startedAt ? undefined : step.startedAt,
      endedAt: step.endedAt === startedAt ? undefined : step.endedAt,
      error: error ?? undefined,
      callId: callId ?? undefined,
      absent: absent.length === 0 ? undefined : absent,
      isCut,
    }
  })
  return JSON.stringify(kept)
}

/** Returns a step whose input and output are no longer than is stored. */
export function shortened(step: RunStep): RunStep {
  const { input, output } = step
  if ((input?.length ?? 0) <= maxStepText && (output?.length ?? 0) <= maxStepText) return step
  const cut = (text: string | null) => text?.slice(0, maxStepText) ?? null
  return { ...step, input: cut(input), output: cut(output), isCut: true }
}

type Row = Record<string, SQLOutputValue>

const prefix = 'run_'

export const runIdOf = (id: number) => idOf(prefix, id)

/** Returns the number of a run id; null for any other text. */
export const numberOfRunId = (text: string) => numberOfId(prefix, text)

/** @throws StoredValueError for values that no run has. */
export function runOf(row: Row): Run {
  const found = runStates[integer(row.state)]
  if (found === undefined) throw new StoredValueError('A run has a state that does not exist.')
  return {
    runId: runIdOf(integer(row.id)),
    workflowId: fromStored(row.workflow),
    workspaceId: fromStored(row.workspace),
    connectionId: fromStored(row.connection),
    eventId: row.event === null ? null : eventIdOf(integer(row.event)),
    lane: fromStored(row.lane),
    state: found,
    dueAt: row.due_at === 0 ? null : integer(row.due_at),
    attempt: integer(row.attempt),
    queuedAt: integer(row.queued_at),
    startedAt: integerOrNull(row.started_at),
    endedAt: integerOrNull(row.ended_at),
    error: fromStoredOrNull(row.error),
    summary: fromStored(row.summary),
  }
}

const Body = z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) })
/** UTF-16 units of the longest body that is parsed for its subject: a list has many. */
const longestParsed = 16 * 1024

/** Returns what a person recognises a run by, from its data; null for none. */
export function subjectOfRun(data: string | null): string | null {
  if (data === null || data.length > longestParsed) return null
  const body = Body.safeParse(parsed(data)).data
  return body === undefined ? null : subjectOf(body.data, body.event)
}

const Summary = z.object({ eventName: z.string() })

/** Returns the name of a run's event; empty for a summary without one. */
export function eventNameOf({ summary }: Pick<Run, 'summary'>): string {
  return Summary.safeParse(parsed(summary)).data?.eventName ?? ''
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
    input: fromStoredOrNull(row.input),
    output: fromStoredOrNull(row.output),
    error: fromStoredOrNull(row.error),
    callId: fromStoredOrNull(row.call),
    absent: namesOf(fromStored(row.absent)),
  }
  return row.is_cut === 1 ? { ...step, isCut: true } : step
}

const text = z.string().nullable()
const Steps = z.array(
  z.object({
    path: z.string(),
    type: z.string(),
    attempt: z.int().default(1),
    startedAt: z.int().optional(),
    endedAt: z.int().nullable().optional(),
    ...{ input: text, output: text, error: text.default(null), callId: text.default(null) },
    absent: z.array(z.string()).default([]),
    isCut: z.literal(true).optional(),
  }),
)

/** Returns the steps of a run that had ended when it was stored. @throws StoredValueError */
export function stepsOfText(stored: string, runStartedAt: number): RunStep[] {
  const steps = Steps.safeParse(parsed(stored)).data
  if (steps === undefined) throw new StoredValueError('The steps of a run cannot be read.')
  return steps.map(({ isCut, startedAt = runStartedAt, endedAt = runStartedAt, ...step }) => {
    const read = { ...step, startedAt, endedAt }
    return isCut ? { ...read, isCut } : read
  })
}

const Names = z.array(z.string())

function namesOf(text: string): readonly string[] {
  return text === '' ? [] : Names.parse(JSON.parse(text))
}

const integerOrNull = (value: unknown) => (value === null ? null : integer(value))
