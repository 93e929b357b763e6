import { z } from 'zod'
import { TimeText } from '../time.ts'
import { CallId, ConnectionId, EventId, Moment, RunId, WorkflowId } from './identifiers.ts'
import { searched } from './searched.ts'

/** How often a step is attempted before its run fails. */
export const maxAttempts = 8

export const RunStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'])
export type RunStatus = z.infer<typeof RunStatus>

/** The filters of a list of runs. */
export const RunSearch = z.object({
  workspaceId: z
    .string()
    .optional()
    .describe('Runs of the workflows in this workspace, also of deleted ones.'),
  workflowId: z.string().optional(),
  since: TimeText.optional().describe(
    'Runs queued at this time or later: ISO 8601 with an offset, or milliseconds since 1970.',
  ),
  connectionId: z.string().optional(),
  eventId: EventId.optional(),
  status: RunStatus.optional(),
  eventName: z.string().optional().describe('The whole name.'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Case-insensitive; anywhere in the run’s id, event name or payload.'),
})
export type RunSearch = z.infer<typeof RunSearch>

export const RunError = z.object({ code: z.string(), message: z.string() })

/** A run of a workflow, as lists show it. See docs/workflows.md. */
export const Run = z.object({
  runId: RunId,
  workflowId: WorkflowId,
  eventId: EventId.nullable().describe('Null for a run that no event has started.'),
  eventName: z.string(),
  connectionId: ConnectionId.nullable().describe('Null where a test names none.'),
  test: z.boolean(),
  dryRun: z.boolean().describe('Whether every template was resolved and nothing was sent.'),
  replayOf: EventId.nullable().describe('The event that the run’s event replays.'),
  emptyKey: z
    .boolean()
    .describe(
      'Whether its event has no value for the key of the trigger, so that no later event is its duplicate.',
    ),
  fits: z
    .boolean()
    .nullable()
    .describe('For a test: whether its event fits the condition of the trigger. Otherwise null.'),
  status: RunStatus,
  queuedAt: Moment,
  startedAt: Moment.nullable(),
  endedAt: Moment.nullable(),
  nextAttemptAt: Moment.nullable().describe('When a waiting run continues.'),
  error: RunError.nullable().describe('Why the run failed, or its last attempt.'),
  attempt: z.int().describe('How often the step that began last was attempted; 1 before the first.'),
  subject: z
    .string()
    .nullable()
    .describe('A recognizable value of the payload such as ORD-20418; null if it has none or was deleted.'),
})
export type Run = z.infer<typeof Run>

/** One attempt at a step. Input and output are null once they were deleted, and of a private step. */
export const StepAttempt = z.object({
  attempt: z.int(),
  startedAt: Moment,
  endedAt: Moment.nullable(),
  input: z.unknown(),
  output: z.unknown(),
  shortened: z.boolean().describe('Whether input or output is longer than 256 KiB and left out.'),
  absent: z.array(z.string()).describe('Variables that had no value.'),
  callId: CallId.nullable(),
  error: RunError.nullable(),
})

export type StepAttempt = z.infer<typeof StepAttempt>

export const RunStep = z.object({
  key: z.string(),
  path: z.string().describe('The key, after the key and the index of each loop around the step.'),
  type: z.string(),
  status: z.enum(['running', 'waiting', 'succeeded', 'failed']),
  private: z
    .literal(true)
    .optional()
    .describe('Present for a private step: neither input nor output is kept.'),
  output: z.unknown(),
  attempts: z.array(StepAttempt),
})
export type RunStep = z.infer<typeof RunStep>

/** How an answer gives the payload, the inputs and the outputs of a run. */
export const RunContents = z
  .enum(['json', 'text'])
  .default('json')
  .describe(
    '`text`: payload, inputs and outputs are strings of JSON. A client whose numbers are doubles can then read every digit.',
  )
export type RunContents = z.infer<typeof RunContents>

export const RunDetails = Run.extend({
  payload: z.unknown().describe('Null once it was deleted.'),
  steps: z.array(RunStep).describe('In the order in which they began.'),
  duplicates: z.int().describe('Stored events that started no run, because this one has their key.'),
})
export type RunDetails = z.infer<typeof RunDetails>

export const RunPage = z.object({
  runs: z.array(Run).describe('May be fewer than `limit`, or none, before the end: see `searched`.'),
  nextBefore: RunId.nullable().describe('The `before` of the next page; null at the end.'),
  damaged: z
    .array(RunId)
    .optional()
    .describe('The ids of runs in this range that cannot be read; absent if there are none.'),
  searched,
})

/** The number of runs in each status. */
export const RunCounts = z.object({
  succeeded: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  waiting: z.int(),
  running: z.int(),
  queued: z.int(),
})
export type RunCounts = z.infer<typeof RunCounts>
