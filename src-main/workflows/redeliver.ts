import type { EventWorkflows } from '#main/inbound/receive.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { isFanOut, type NewRun, type NewRuns, type Run, type RunStore } from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import type { WorkflowEngine } from './engine.ts'
import { isTestLane } from './matching.ts'

const runsOfPage = 200
const unretriable: readonly string[] = ['run_not_retriable', 'run_not_found']

/** Returns what the inbound channel uses of workflows. */
export function eventWorkflowsOf(engine: WorkflowEngine, runs: RunStore): EventWorkflows {
  const { runsFor, stored } = engine
  return {
    ...{ runsFor, stored, redeliver: createRedelivery(runs, engine) },
    start: (started, eventId, key) => runs.start(started, eventId, key),
  }
}

/**
 * Returns the function that starts again what an event has not done: its failed runs go on, and workflows of which it has
 * no run are started. It returns how many runs that are.
 */
function createRedelivery(
  runs: Pick<RunStore, 'list' | 'start'>,
  { runsFor, stored, retry }: Pick<WorkflowEngine, 'runsFor' | 'stored' | 'retry'>,
) {
  /** Returns the newest run of each workflow that the event has started, without tests. */
  async function newestRuns(eventId: string): Promise<ReadonlyMap<string, Run>> {
    const newest = new Map<string, Run>()
    for (let before: string | null | undefined; before !== null; ) {
      const page = await runs.list({ eventId, limit: runsOfPage, ...(before && { before }) })
      for (const run of page.runs)
        if (!isTestLane(run.lane) && !newest.has(run.workflowId)) newest.set(run.workflowId, run)
      before = page.nextBefore
    }
    return newest
  }

  /** Returns whether a failed run goes on: not one whose data was discarded, and none that somebody else has retried. */
  const goesOn = (runId: string) =>
    retry(runId).then(
      () => true,
      error => {
        if (error instanceof ServiceError && unretriable.includes(error.code)) return false
        throw error
      },
    )

  return async (
    event: LoggedEvent,
    workspaceId: string,
    data: Readonly<Record<string, unknown>>,
  ): Promise<number> => {
    const known = await newestRuns(event.eventId)
    let count = 0
    for (const { state, runId } of known.values()) if (state === 'failed' && (await goesOn(runId))) count++
    const missing = without(runsFor(event, workspaceId, data), known)
    if (missing.length === 0) return count
    const started = await runs.start(missing, event.eventId)
    stored(missing, started, event)
    for (const [index, run] of missing.entries())
      if (!started.duplicates.has(index)) count += isFanOut(run) ? run.workflowIds.length : 1
    return count
  }
}

/** Leaves out the runs of workflows that have one. */
function without(all: NewRuns, known: ReadonlyMap<string, unknown>): NewRuns {
  return all.flatMap((run): NewRun[] | NewRuns => {
    if (!isFanOut(run)) return known.has(run.workflowId) ? [] : [run]
    const workflowIds = run.workflowIds.filter(id => !known.has(id))
    return workflowIds.length === 0 ? [] : [{ ...run, workflowIds }]
  })
}
