import { z } from 'zod'
import { RunId } from '../model/identifiers.ts'
import { RunDetails, RunPage, RunStatus } from '../model/run.ts'
import { route } from './base.ts'

const tag = 'workflows'
const One = z.object({ runId: z.string() })

export const runs = {
  list: route('GET', '/runs', { tag, summary: 'Runs of workflows, newest first' })
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
  get: route('GET', '/runs/{runId}', {
    tag,
    summary: 'One run with its payload and steps',
    errors: ['run_not_found'],
  })
    .input(One)
    .output(RunDetails),
  retry: route('POST', '/runs/{runId}/retry', {
    tag,
    summary: 'Continue a failed or cancelled run at its failed step',
    errors: ['run_not_found', 'run_not_retriable'],
  })
    .input(One)
    .output(RunDetails),
  cancel: route('POST', '/runs/{runId}/cancel', {
    tag,
    summary: 'Cancel a run that has not ended',
    errors: ['run_not_found', 'run_ended'],
  })
    .input(One)
    .output(RunDetails),
}
