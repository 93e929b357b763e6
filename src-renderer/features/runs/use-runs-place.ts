import { useParams } from '@tanstack/react-router'
import { useSearchState } from '../../ui/search-state.ts'

/**
 * Returns the filters and the open run from the address, and functions that change them: on the page of all runs, or on
 * the tab with those of one workflow.
 */
export function useRunsPlace() {
  const { workflowId } = useParams({ strict: false })
  const [search, change] = useSearchState(
    workflowId === undefined ? '/workflows/runs' : '/workflows/$workflowId',
  )
  const { run = null, status, eventName, text = '', event } = search
  const isOfOne = workflowId !== undefined
  const workflow = workflowId ?? search.workflow
  // A link to an event or a run shows it whatever its age, and a workflow shows all that its tab counts.
  const usualSince = isOfOne || event !== undefined ? 'all' : 'day'
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
    open: (runId: string) => change({ run: runId }),
    close: () => change({ run: undefined }),
    set: change,
    clear: () => change(isOfOne ? none : { ...none, workflow: undefined }),
  }
}
