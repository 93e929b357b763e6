import { z } from 'zod'
import { ConnectionId, Moment, RunId, WorkflowId } from './identifiers.ts'
import { Declared } from './inbound-event.ts'
import { RunStatus } from './run.ts'
import { hoursShown } from './statistics.ts'

const HourOfRuns = z.object({ succeeded: z.int(), failed: z.int() })

/** The activity of a workflow without its tests, as far as its runs are kept: the newest 10,000 that have ended. */
export const WorkflowFigures = z.object({
  workflowId: WorkflowId,
  hours: z
    .array(HourOfRuns)
    .length(hoursShown)
    .describe('Runs that ended in each clock hour, oldest first; the last one is the current hour.'),
  last24h: z.int().describe('Their sum.'),
  queued: z.int(),
  waiting: z.int(),
  running: z.int(),
  failedLastHour: z.int().describe('Runs that failed in the last 60 minutes, or in the minute before them.'),
  lastRun: z
    .object({
      runId: RunId,
      status: RunStatus,
      at: Moment.describe('When it ended, began or was queued, the last of these.'),
    })
    .nullable()
    .describe('The newest run.'),
  p95Ms: z
    .int()
    .nullable()
    .describe(
      '95 of 100 runs that succeeded in these hours took no longer from start to end; rounded up by less than 1/32 from 64 ms on. Null without any.',
    ),
})
export type WorkflowFigures = z.infer<typeof WorkflowFigures>

/** An event name whose events start no run. */
export const UnhandledEvents = z.object({
  connectionId: ConnectionId,
  eventName: z.string(),
  received: z.int(),
  lastAt: Moment,
  declared: Declared,
  disabledWorkflowId: WorkflowId.nullable().describe('A disabled workflow that would take them.'),
})
export type UnhandledEvents = z.infer<typeof UnhandledEvents>

export const WorkflowOverview = z.object({
  workflows: z.array(WorkflowFigures),
  untakenEvents: z
    .array(UnhandledEvents)
    .describe(
      'Events of the last 24 clock hours that match no enabled workflow: the 100 most frequent names. Only the 500 newest names of each connection are counted.',
    ),
})

/** The received events that a trigger matches, counted. */
export const TriggerFigures = z.object({
  received: z.int().describe('Events of its connections in the last 24 clock hours.'),
  taken: z.int().describe('Those that the trigger matches.'),
  names: z
    .array(z.object({ eventName: z.string(), count: z.int(), declared: Declared }))
    .describe(
      'Names of the events of its connections: declared ones first, then the most frequent. At most 500.',
    ),
  connectionIds: z
    .array(ConnectionId)
    .describe(
      'Its connections that store or declare events, those with the newest matching events first. At most 20.',
    ),
})
export type TriggerFigures = z.infer<typeof TriggerFigures>

export const WorkflowSteps = z.object({
  runs: z.int().describe('The newest runs that have begun, tests included: at most 1,000.'),
  steps: z.array(
    z.object({
      key: z.string(),
      runs: z.int().describe('Runs that attempted the step.'),
      failures: z.int().describe('Runs in which the last attempt at it failed.'),
    }),
  ),
  trigger: z
    .object({
      received: z.int().describe('Events of the connections that the trigger names.'),
      taken: z.int().describe('Those whose name matches the trigger.'),
    })
    .describe('The last 24 clock hours, whether the workflow was enabled or not.'),
})
