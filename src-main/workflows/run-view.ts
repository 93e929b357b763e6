import { z } from 'zod'
import { parseBodyText } from '#main/inbound/body.ts'
import type {
  ListedRun,
  RunState,
  RunDetails as StoredDetails,
  Run as StoredRun,
  RunStep as StoredStep,
} from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import {
  type Run,
  type RunDetails,
  RunError,
  type RunStatus,
  type RunStep,
  type StepAttempt,
} from '#shared/model/run.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import { doesOf } from '#shared/workflows/steps/kinds.ts'

/** Facts of a run that lists show besides the columns of the store. */
const RunSummary = z.object({
  eventName: z.string(),
  replayOf: z.string().optional(),
  mode: z.enum(['test', 'dry']).optional(),
  /** Whether its trigger has a key, and its event no value for it. */
  emptyKey: z.literal(true).optional(),
  /** For a run that first decides whether its event fits the trigger: see `decides-first.ts`. */
  undecided: z.literal(true).optional(),
  /** For a test: whether its event fits the condition of the trigger; missing without one. */
  fits: z.boolean().optional(),
  /** For a delivery to a webhook: how many webhooks its workspace had before that one. */
  removedWebhooks: z.int().optional(),
  /** The trace that its event belongs to; missing for most. */
  traceparent: z.string().optional(),
  tracestate: z.string().optional(),
  /** When it was last retried after its end, in milliseconds since 1970; missing for most. */
  retriedAt: z.int().optional(),
})
export type RunSummary = z.infer<typeof RunSummary>

export const summaryText = (summary: RunSummary): string => JSON.stringify(summary)

export function summaryOf({ summary }: Pick<StoredRun, 'summary'>): RunSummary {
  return readable(RunSummary, summary)
}

/** Returns the trigger's payload from the `data` of a run: the body of its event. Null for what cannot be read. */
export function payloadOf(data: string, connectionId: string | null): TriggerPayload | null {
  const parsed = parseBodyText(data)
  return parsed.ok ? { ...parsed.data, eventName: parsed.eventName, connectionId } : null
}

export const statuses: Readonly<Record<RunState, RunStatus>> = {
  waiting: 'queued',
  retrying: 'waiting',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** Returns a stored run as the contract shows it. */
export function toRun(run: ListedRun): Run {
  const { eventName, replayOf, mode, emptyKey, fits } = summaryOf(run)
  const { runId, workflowId, eventId, connectionId, state, error } = run
  return {
    runId,
    workflowId,
    eventId,
    eventName,
    connectionId,
    test: mode !== undefined,
    dryRun: mode === 'dry',
    replayOf: replayOf ?? null,
    emptyKey: emptyKey === true,
    fits: fits ?? null,
    status: statuses[state],
    queuedAt: moment(run.queuedAt),
    startedAt: momentOrNull(run.startedAt),
    endedAt: momentOrNull(run.endedAt),
    nextAttemptAt: state === 'retrying' ? momentOrNull(run.dueAt) : null,
    error: errorOf(error),
    attempt: run.stepAttempts,
    subject: run.subject,
  }
}

/** Returns a stored run with its payload and steps. */
export function toRunDetails(run: StoredDetails): RunDetails {
  const { data, connectionId } = run
  return {
    ...toRun(run),
    payload: data === null ? null : payloadOf(data, connectionId),
    steps: stepsOf(run.steps),
    duplicates: run.duplicates,
  }
}

function stepsOf(attempts: readonly StoredStep[]): RunStep[] {
  const byPath = Map.groupBy(attempts, ({ path }) => path)
  return Array.from(byPath, ([path, ofStep]) => {
    const shown = ofStep.map(toAttempt)
    const last = ofStep.at(-1)
    const type = last?.type ?? ''
    return {
      key: path.slice(path.lastIndexOf('.') + 1),
      path,
      type,
      status: statusOf(last, type),
      ...(last?.isPrivate && { private: true as const }),
      output: shown.at(-1)?.output ?? null,
      attempts: shown,
    }
  })
}

function statusOf(last: StoredStep | undefined, type: string): RunStep['status'] {
  if (last === undefined || last.endedAt === null) return doesOf(type) === 'wait' ? 'waiting' : 'running'
  return last.error === null ? 'succeeded' : 'failed'
}

function toAttempt(step: StoredStep): StepAttempt {
  const { attempt, startedAt, endedAt, input, output, isCut, absent, callId, error } = step
  return {
    attempt,
    startedAt: moment(startedAt),
    endedAt: momentOrNull(endedAt),
    input: jsonOf(input),
    output: jsonOf(output),
    shortened: isCut ?? false,
    absent: [...absent],
    callId,
    error: errorOf(error),
  }
}

/** A shortened text is not valid JSON any more. */
function jsonOf(text: string | null): unknown {
  if (text === null) return null
  try {
    return parseExact(text)
  } catch {
    return null
  }
}

function errorOf(text: string | null): z.infer<typeof RunError> | null {
  return text === null ? null : readable(RunError, text)
}

/** Returns what the service once stored as JSON. @throws ServiceError `damaged_run` for anything else. */
function readable<Value>(schema: z.ZodType<Value>, text: string): Value {
  const { data } = schema.safeParse(jsonOf(text))
  if (data === undefined) throw new ServiceError('damaged_run')
  return data
}

const moment = (at: number) => new Date(at).toISOString()
const momentOrNull = (at: number | null) => (at === null ? null : moment(at))
