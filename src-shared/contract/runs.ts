import { z } from 'zod'
import { RunId } from '../model/identifiers.ts'
import { RunDetails, RunPage, RunStatus } from '../model/run.ts'
import { routesOf } from './base.ts'

const route = routesOf('workflows')
const One = z.object({ runId: z.string() })

export const runs = {
  list: route('GET', '/runs', 'Runs of workflows, newest first')
    .input(
      z.object({
        workflowId: z.string().optional(),
        connectionId: z.string().optional(),
        status: RunStatus.optional(),
        before: RunId.optional(),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(RunPage),
  get: route('GET', '/runs/{runId}', 'One run with its payload and steps').input(One).output(RunDetails),
  retry: route(
    'POST',
    '/runs/{runId}/retry',
    'Continue a failed or cancelled run at its failed step, or make the next attempt of a waiting one now',
    ['run_not_retriable'],
  )
    .input(One)
    .output(RunDetails),
  cancel: route('POST', '/runs/{runId}/cancel', 'Cancel a run that has not ended', ['run_ended'])
    .input(One)
    .output(RunDetails),
}
