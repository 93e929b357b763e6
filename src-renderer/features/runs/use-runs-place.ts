import { useParams } from '@tanstack/react-router'
import { cleared, type Filters, isNarrowed } from '../../ui/filters.ts'
import { useSearchState } from '../../ui/search-state.ts'
import { runFilters } from './filters.ts'

const { workflow: _workflow, ...ofOne } = runFilters

/**
 * Returns the filters and the open run from the address, and functions that change them: on the page of all runs, or on
 * the tab with those of one workflow.
 */
export function useRunsPlace() {
  const { workflowId } = useParams({ strict: false })
  const [search, change] = useSearchState(
    workflowId === undefined ? '/workflows/runs' : '/workflows/$workflowId',
  )
  const isOfOne = workflowId !== undefined
  const filters: Filters = isOfOne ? ofOne : runFilters
  // A period does not leave out runs: it says of which time they are.
  const { since: _since, ...narrowing } = filters
  // A link to an event or a run shows it whatever its age, and a workflow shows all that its tab counts.
  const usualSince = isOfOne || search.event !== undefined ? 'all' : 'day'
  return {
    ...search,
    search,
    /** Those that can be changed here. */
    filters,
    /** Id of the open run; null for none. */
    run: search.run ?? null,
    workflow: workflowId ?? search.workflow,
    /** Whether only the runs of one workflow can be shown here. */
    isOfOne,
    text: search.text ?? '',
    usualSince,
    since: search.since ?? usualSince,
    isNarrowed: isNarrowed(narrowing, search),
    open: (runId: string) => change({ run: runId }),
    close: () => change({ run: undefined }),
    set: change,
    clear: () => change(cleared(narrowing)),
  }
}
