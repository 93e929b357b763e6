import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { RunStatus } from '#shared/model/run.ts'

/** The parameters of the address of the runs. */
export type RunsSearch = {
  readonly run?: string | undefined
  readonly workflow?: string | undefined
  readonly status?: RunStatus | undefined
  readonly eventName?: string | undefined
  readonly text?: string | undefined
  /** A period, or an ISO time. */
  readonly since?: string | undefined
  readonly event?: string | undefined
}

/**
 * Returns the filters and the open run from the address, and functions that change them: of the page of all runs, or of
 * the tab with those of one workflow.
 */
export function useRunsPlace() {
  const navigate = useNavigate()
  const { workflowId } = useParams({ strict: false })
  const search: RunsSearch = useSearch({ strict: false })
  const { run = null, status, eventName, text = '', event } = search
  const isOfOne = workflowId !== undefined
  const workflow = workflowId ?? search.workflow
  // A link to an event or a run shows it whatever its age, and a workflow shows all that its tab counts.
  const usualSince = isOfOne || event !== undefined ? 'all' : 'day'
  // Replaces the address, so that going through the list row by row leaves no history.
  const go = (change: RunsSearch) =>
    void navigate({ to: '.', search: before => ({ ...before, ...change }), replace: true })
  const none = { status: undefined, eventName: undefined, text: undefined, event: undefined }
  return {
    search,
    /** Id of the open run; null for none. */
    run,
    workflow,
    /** Whether only the runs of one workflow can be shown here. */
    isOfOne,
    status,
    eventName,
    text,
    /** Only the runs of this event. */
    event,
    usualSince,
    since: search.since ?? usualSince,
    isNarrowed:
      text !== '' || (status ?? eventName ?? event ?? (isOfOne ? undefined : workflow)) !== undefined,
    open: (runId: string) => go({ run: runId }),
    close: () => go({ run: undefined }),
    set: (change: Omit<RunsSearch, 'run'>) =>
      go({ ...change, ...(change.text === '' ? { text: undefined } : {}) }),
    clear: () => go(isOfOne ? none : { ...none, workflow: undefined }),
  }
}
