import { searchedOf } from '#main/history/searched-of.ts'
import type { Config } from '#main/storage/config.ts'
import { runStates, type RunDetails as StoredDetails } from '#main/storage/runs.ts'
import { unendedOf } from '#main/workflows/figures.ts'
import { testLaneOf } from '#main/workflows/matching.ts'
import { statuses, toRun, toRunDetails } from '#main/workflows/run-view.ts'
import { ServiceError } from '#shared/errors.ts'
import type { RunContents, RunDetails, RunSearch } from '#shared/model/run.ts'
import type { Handlers, RpcParts } from './context.ts'
import { verbatim } from './verbatim.ts'

type Filter = Pick<RunSearch, 'workspaceId' | 'workflowId' | 'since'>

/** Returns the filters of the contract as the store takes them. */
function selectionOf<Filters extends Filter>({ workflowId, ...filters }: Filters) {
  return { ...filters, workflowIds: workflowId === undefined ? undefined : [workflowId] }
}

/** Returns the workflows whose lanes a filter selects; undefined for all. A deleted one has no runs that wait. */
function lanesOf({ workflows }: Config, { workspaceId, workflowId }: Filter): string[] | undefined {
  if (workspaceId === undefined) return workflowId === undefined ? undefined : [workflowId]
  const inWorkspace = [...workflows.values()].filter(one => one.workspaceId === workspaceId)
  return inWorkspace.map(one => one.workflowId).filter(id => workflowId === undefined || id === workflowId)
}

export function runs({ store: config, runs: store, engine }: RpcParts): Handlers['runs'] {
  return {
    list: async ({ input: { status, connectionId, ...query } }) => {
      const page = await store.list({
        ...selectionOf(query),
        connectionId: connectionId === '' ? null : connectionId,
        state: runStates.find(state => statuses[state] === status),
      })
      const readable = []
      const damaged = [...(page.damaged ?? [])]
      for (const run of page.runs)
        try {
          readable.push(toRun(run))
        } catch (error) {
          if (!(error instanceof ServiceError && error.code === 'damaged_run')) throw error
          damaged.push(run.runId)
        }
      return {
        ...{ runs: readable, nextBefore: page.nextBefore },
        ...(damaged.length > 0 && { damaged }),
        ...searchedOf(page.searched, page.nextBefore),
      }
    },
    counts: async ({ input }) => {
      const [ended, lanes] = await Promise.all([store.countEnded(selectionOf(input)), store.laneCounts()])
      const selected = lanesOf(config.snapshot(), input)
      return {
        ...ended,
        ...unendedOf(
          lanes,
          selected?.flatMap(id => [id, testLaneOf(id)]),
        ),
      }
    },
    get: async ({ input }) => runAnswer(await engine.get(input.runId), input.contents),
    retry: async ({ input }) => runAnswer(await engine.retry(input.runId), input.contents),
    cancel: async ({ input }) => runAnswer(await engine.cancel(input.runId), input.contents),
  }
}

/** Returns a stored run for an answer, which writes payload, inputs and outputs with all their digits. */
export function runAnswer(stored: StoredDetails, contents: RunContents): RunDetails {
  const run = toRunDetails(stored)
  const written = contents === 'text' ? textOf : verbatim
  return {
    ...run,
    payload: written(run.payload),
    steps: run.steps.map(step => ({
      ...step,
      output: written(step.output),
      attempts: step.attempts.map(attempt => ({
        ...attempt,
        input: written(attempt.input),
        output: written(attempt.output),
      })),
    })),
  }
}

const textOf = (value: unknown) => (value === null ? null : JSON.stringify(value))
