import { z } from 'zod'
import { EventId, RunId } from '../model/identifiers.ts'
import { RunContents, RunCounts, RunDetails, RunPage, RunStatus } from '../model/run.ts'
import { TimeText } from '../time.ts'
import { routesOf } from './base.ts'

const route = routesOf('workflows', '/runs')
const RunFilter = z.object({
  workspaceId: z
    .string()
    .optional()
    .describe('Runs of the workflows in this workspace, also of deleted ones.'),
  workflowId: z.string().optional(),
  since: TimeText.optional().describe(
    'Runs queued at this time or later: ISO 8601 with an offset, or milliseconds since 1970.',
  ),
})
const One = z.object({ runId: z.string(), contents: RunContents })

export const runs = {
  list: route('GET', '', 'Runs of workflows, newest first')
    .input(
      z.object({
        ...RunFilter.shape,
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
        before: RunId.optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(RunPage),
  counts: route('GET', '/counts', 'The number of runs in each status')
    .input(
      RunFilter.extend({
        since: RunFilter.shape.since.describe(
          'Counts ended runs queued at this time or later; the others are all counted.',
        ),
      }),
    )
    .output(RunCounts),
  get: route('GET', '/{runId}', 'One run with its payload and steps', ['damaged_run'])
    .input(One)
    .output(RunDetails),
  retry: route(
    'POST',
    '/{runId}/retry',
    'Continue a failed or cancelled run at its failed step, or make the next attempt of a waiting one now',
    ['run_not_retriable', 'damaged_run'],
  )
    .input(One)
    .output(RunDetails),
  cancel: route('POST', '/{runId}/cancel', 'Cancel a run that has not ended', ['run_ended', 'damaged_run'])
    .input(One)
    .output(RunDetails),
}
