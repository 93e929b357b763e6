import { z } from 'zod'
import { RunId } from '../model/identifiers.ts'
import { RunContents, RunCounts, RunDetails, RunPage, RunSearch } from '../model/run.ts'
import { routesOf } from './base.ts'

const route = routesOf('workflows', '/runs')
const One = z.object({ runId: z.string(), contents: RunContents })

export const runs = {
  list: route('GET', '', 'Runs of workflows, newest first')
    .input(
      RunSearch.extend({
        before: RunId.optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(RunPage),
  counts: route('GET', '/counts', 'The number of runs in each status')
    .input(
      RunSearch.pick({ workspaceId: true, workflowId: true }).extend({
        since: RunSearch.shape.since.describe(
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
