import { useNavigate, useSearch } from '@tanstack/react-router'
import type { RunStatus } from '#shared/model/run.ts'

const from = '/workflows/runs'

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

/** Returns the filters and the open run from the address, and functions that change them. */
export function useRunsPlace() {
  const navigate = useNavigate({ from })
  const search: RunsSearch = useSearch({ from })
  const { run = null, workflow, status, eventName, text = '', event } = search
  // Replaces the address, so that going through the list row by row leaves no history.
  const go = (change: RunsSearch) =>
    void navigate({ to: from, search: before => ({ ...before, ...change }), replace: true })
  return {
    search,
    /** Id of the open run; null for none. */
    run,
    workflow,
    status,
    eventName,
    text,
    /** Only the runs of this event. */
    event,
    /** A link to an event or a run shows it whatever its age. */
    since: search.since ?? (event === undefined ? 'day' : 'all'),
    isNarrowed: text !== '' || (workflow ?? status ?? eventName ?? event) !== undefined,
    open: (runId: string) => go({ run: runId }),
    close: () => go({ run: undefined }),
    set: (change: Omit<RunsSearch, 'run'>) =>
      go({ ...change, ...(change.text === '' ? { text: undefined } : {}) }),
    clear: () =>
      go({ workflow: undefined, status: undefined, eventName: undefined, text: undefined, event: undefined }),
  }
}
