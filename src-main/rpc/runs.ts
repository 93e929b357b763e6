import type { RunState } from '#main/storage/runs.ts'
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
    get: os.runs.get.handler(async ({ input }) => runAnswer(toRunDetails(await engine.get(input.runId)))),
    retry: os.runs.retry.handler(async ({ input }) =>
      runAnswer(toRunDetails(await engine.retry(input.runId))),
    ),
    cancel: os.runs.cancel.handler(async ({ input }) =>
      runAnswer(toRunDetails(await engine.cancel(input.runId))),
    ),
  })
}

/** Returns a run whose payload, inputs and outputs are written with all their digits. */
export function runAnswer(run: RunDetails): RunDetails {
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
