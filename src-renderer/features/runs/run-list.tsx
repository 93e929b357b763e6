import { Button } from '@mantine/core'
import type { Run, RunCounts } from '#shared/model/run.ts'
import { useWorkflowName } from '../../entities/workflow/use-workflows.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FollowButton, FollowedList, ListLine, type useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount } from '../../ui/format.ts'
import { NothingFoundYet, type OpenSearch, SearchedLine } from '../../ui/search-older.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunRow } from './run-row.tsx'
import type { useRuns } from './use-runs.ts'
import { useRunsPlace } from './use-runs-place.ts'

const keyOf = ({ runId }: Run) => runId

/** The runs, newest first, with their filters. */
export function RunList(props: {
  readonly query: ReturnType<typeof useRuns>
  readonly state: ReturnType<typeof useFollowedList>
  /** The runs that are not held back. */
  readonly shown: readonly Run[]
  readonly counts: RunCounts | undefined
}) {
  const { query, state, shown, counts } = props
  const { runs, damaged, error, isPending, isCurrent, loadMore, refetch, search } = query
  const nameOf = useWorkflowName()
  const { isOfOne } = useRunsPlace()
  return (
    <FollowedList
      state={state}
      filters={
        <RunFilters counts={counts} runs={runs} list={state.list}>
          {isOfOne && <FollowButton state={state} isSmall />}
        </RunFilters>
      }
      items={shown}
      getKey={keyOf}
      newer={runs.length - shown.length}
      isKnown={isCurrent && !isPending}
      query={query}
      failed="The runs could not be read"
      label="Runs, newest first"
      onEndReached={loadMore}
      renderRow={run => <RunRow run={run} name={nameOf(run.workflowId)} />}
      none={<NoRuns search={search} />}
      end={
        <>
          {damaged > 0 && (
            <ListLine>
              {formatCount(damaged, 'run')} cannot be read: the disk has changed what is stored.
            </ListLine>
          )}
          {error !== null && shown.length > 0 && (
            <ListLine isAlert action="Try again" onAction={refetch}>
              These runs may not be up to date.
            </ListLine>
          )}
          {search !== undefined && shown.length > 0 && (
            <SearchedLine search={search} noun="runs" group="Runs" />
          )}
        </>
      }
    />
  )
}

/** Says why there are no runs: none at all, none in the period, or none that match. */
function NoRuns({ search }: { readonly search: OpenSearch | undefined }) {
  const place = useRunsPlace()
  const { isNarrowed, since, clear, set } = place
  const showAll = <Button onClick={clear}>Show all runs</Button>
  if (search !== undefined)
    return <NothingFoundYet search={search} noun="runs" group="Runs" actions={isNarrowed && showAll} />
  if (isNarrowed)
    return (
      <EmptyState title="No run matches" actions={showAll}>
        The search covers run IDs, event names and payloads.
      </EmptyState>
    )
  if (since !== 'all')
    return (
      <EmptyState
        title="No runs yet"
        actions={<Button onClick={() => set({ since: 'all' })}>Show older runs</Button>}
      >
        Runs appear here when an event matches a workflow.
      </EmptyState>
    )
  return <EmptyState title="No runs yet">Runs appear here when an event matches a workflow.</EmptyState>
}
