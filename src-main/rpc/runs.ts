import type { RunState, RunDetails as StoredDetails } from '#main/storage/runs.ts'
import { toRun, toRunDetails } from '#main/workflows/run-view.ts'
import type { RunDetails, RunStatus } from '#shared/model/run.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'
import { verbatim } from './verbatim.ts'

const states: Readonly<Record<RunStatus, RunState>> = {
  queued: 'waiting',
  waiting: 'retrying',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function runs(os: Base, { runs: store, engine }: RpcParts) {
  return os.runs.router({
    list: os.runs.list.handler(async ({ input: { status, ...query } }) => {
      const page = await store.list({ ...query, state: status && states[status] })
      return { runs: page.runs.map(toRun), nextBefore: page.nextBefore }
    }),
    get: os.runs.get.handler(async ({ input }) => runAnswer(await engine.get(input.runId))),
    retry: os.runs.retry.handler(async ({ input }) => runAnswer(await engine.retry(input.runId))),
    cancel: os.runs.cancel.handler(async ({ input }) => runAnswer(await engine.cancel(input.runId))),
  })
}

/** Returns a stored run for an answer, which writes payload, inputs and outputs with all their digits. */
export function runAnswer(stored: StoredDetails): RunDetails {
  const run = toRunDetails(stored)
  return {
    ...run,
    payload: verbatim(run.payload),
    steps: run.steps.map(step => ({
      ...step,
      output: verbatim(step.output),
      attempts: step.attempts.map(attempt => ({
        ...attempt,
        input: verbatim(attempt.input),
        output: verbatim(attempt.output),
      })),
    })),
  }
}
