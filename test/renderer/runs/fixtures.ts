import type { z } from 'zod'
import { Run, RunDetails, type RunError, type RunStep, type StepAttempt } from '#shared/model/run.ts'
import { Step } from '#shared/workflows/steps/kinds.ts'

/** Milliseconds since 1970: when the runs of these tests were queued. */
export const start = Date.parse('2026-11-22T14:25:02.000Z')
/** Returns a time so many milliseconds after the start, as the API writes it. */
export const at = (ms: number): string => new Date(start + ms).toISOString()

export function run(changes: Partial<Run> = {}): Run {
  return Run.parse({
    runId: 'run_0000000000a',
    workflowId: 'wf_a',
    eventId: 'evt_a',
    eventName: 'order.paid',
    connectionId: 'conn_a',
    test: false,
    dryRun: false,
    replayOf: null,
    emptyKey: false,
    fits: null,
    status: 'succeeded',
    queuedAt: at(0),
    startedAt: at(3),
    endedAt: at(241),
    nextAttemptAt: null,
    error: null,
    attempt: 1,
    subject: 'ORD-20418',
    ...changes,
  })
}

export const details = (changes: Partial<RunDetails> = {}): RunDetails =>
  RunDetails.parse({ ...run(), payload: { total: 214.5 }, steps: [], duplicates: 0, ...changes })

/** A run that waits for its next attempt. */
export const waitingRun = (steps: readonly RunStep[], changes: Partial<RunDetails> = {}): RunDetails =>
  details({
    status: 'waiting',
    endedAt: null,
    nextAttemptAt: at(505_000),
    error: error('http_503'),
    steps: [...steps],
    ...changes,
  })

export const error = (code: string): z.infer<typeof RunError> => ({ code, message: `${code}.` })

export const attempt = (changes: Partial<StepAttempt> = {}): StepAttempt => ({
  attempt: 1,
  startedAt: at(10),
  endedAt: at(20),
  input: null,
  output: null,
  shortened: false,
  absent: [],
  callId: null,
  error: null,
  ...changes,
})

/** A step as a run keeps it. */
export function taken(path: string, changes: Partial<RunStep> = {}): RunStep {
  const key = path.slice(path.lastIndexOf('.') + 1)
  return {
    ...{ key, path, type: 'notify', status: 'succeeded', output: null, attempts: [attempt()] },
    ...changes,
  }
}

export const notify = (key: string): Step => Step.parse({ key, type: 'notify', message: 'Hello' })
export const action = (key: string): Step =>
  Step.parse({ key, type: 'action', connectionId: 'conn_b', toolName: key })
/** The only known action. */
export const actionsOf = () => [{ toolName: 'reserve_stock', name: 'Reserve stock' }]
