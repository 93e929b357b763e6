import { Button, Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { ChevronUp } from 'lucide-react'
import type { RefObject } from 'react'
import type { Run, RunCounts } from '#shared/model/run.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import lists from '../activity/activity.module.css'
import { RunFilters } from './run-filters.tsx'
import { RunRow } from './run-row.tsx'
import classes from './runs.module.css'
import { type useRuns, useWorkflowName } from './use-runs.ts'
import { useRunsPlace } from './use-runs-place.ts'

/** In pixels. */
const rowHeight = 48
/** Milliseconds without new rows until a screen reader announces the count. */
const announceAfterMs = 1000
const keyOf = ({ runId }: Run) => runId

/** The runs, newest first, with their filters. */
export function RunList(props: {
  readonly query: ReturnType<typeof useRuns>
  /** The runs that are not held back. */
  readonly shown: readonly Run[]
  readonly isFollowing: boolean
  readonly onTopChange: (isAtTop: boolean) => void
  readonly showNewest: () => void
  readonly counts: RunCounts | undefined
  readonly selectedKey: string | null
  readonly list: RefObject<VirtualListHandle | null>
}) {
  const { query, shown, counts, selectedKey, list, isFollowing, onTopChange, showNewest } = props
  const { runs, error, isPending, isCurrent } = query
  const { open } = useRunsPlace()
  const nameOf = useWorkflowName()
  const live = useLiveState()
  const newer = runs.length - shown.length
  const isUnknown = error !== null && runs.length === 0
  const status =
    !isCurrent || isUnknown
      ? ''
      : newer > 0
        ? `${formatCount(newer, 'newer run')} waiting`
        : `${formatCount(shown.length, 'run')} shown`
  const [announced] = useDebouncedValue(status, announceAfterMs)
  return (
    <section className={classes.list} aria-label="Runs">
      <RunFilters counts={counts} runs={runs} list={list} />
      <div className="sr" role="status">
        {announced}
      </div>
      {live === 'lost' && (
        <div className={lists.line} data-place="top">
          Not up to date: the service does not answer. Reconnecting…
        </div>
      )}
      {newer > 0 && (
        <button
          type="button"
          className={`num ${lists.newer}`}
          onClick={() => {
            showNewest()
            // This button disappears.
            list.current?.focus()
          }}
        >
          <ChevronUp size={12} />
          {formatNumber(newer)} newer
        </button>
      )}
      <div className={lists.list}>
        {shown.length > 0 ? (
          <VirtualList
            ref={list}
            label="Runs, newest first"
            items={shown}
            rowHeight={rowHeight}
            getKey={keyOf}
            selectedKey={selectedKey}
            onSelect={run => open(run.runId)}
            onEndReached={query.loadMore}
            stickToTop={isFollowing}
            onTopChange={onTopChange}
            renderRow={run => <RunRow run={run} name={nameOf(run.workflowId)} />}
          />
        ) : error !== null ? (
          <ErrorState title="The runs could not be read" error={error} onRetry={query.retry} />
        ) : isPending || !isCurrent ? (
          <RunListSkeleton />
        ) : (
          <NoRuns />
        )}
      </div>
      {error !== null && shown.length > 0 && (
        <div className={lists.line} role="alert">
          <span className="grow">These runs may not be up to date.</span>
          <Button size="xs" onClick={query.retry}>
            Try again
          </Button>
        </div>
      )}
    </section>
  )
}

function RunListSkeleton() {
  return (
    <Delayed>
      <div aria-busy="true">
        {['a', 'b', 'c', 'd', 'e', 'f'].map(key => (
          <div key={key} className={lists.item}>
            <Skeleton width={16} height={16} circle />
            <Skeleton width="45%" height={10} />
            <Skeleton width={54} height={10} />
            <span />
            <Skeleton width="60%" height={8} />
          </div>
        ))}
      </div>
    </Delayed>
  )
}

/** Says why there are no runs: none at all, none in the period, or none that match. */
function NoRuns() {
  const place = useRunsPlace()
  const { isNarrowed, since, clear, set } = place
  if (isNarrowed)
    return (
      <EmptyState title="No run matches" actions={<Button onClick={clear}>Show all runs</Button>}>
        The search covers run IDs, event names and payloads.
      </EmptyState>
    )
  if (since !== 'all')
    return (
      <EmptyState
        title="No runs yet"
        actions={<Button onClick={() => set({ since: 'all' })}>Show older runs</Button>}
      >
        The first event that a workflow takes appears here.
      </EmptyState>
    )
  return <EmptyState title="No runs yet">The first event that a workflow takes appears here.</EmptyState>
}
