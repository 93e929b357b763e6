import { type ReactNode, useMemo } from 'react'
import type { Run } from '#shared/model/run.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { hasEnded, wasStopped } from '../../entities/run/run-labels.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFollowedList } from '../../ui/followed-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, type Hints } from '../../ui/page.tsx'
import { useFollow } from '../../ui/use-follow.ts'
import { RunDetail } from './run-detail.tsx'
import { RunList } from './run-list.tsx'
import { useRunCounts, useRuns } from './use-runs.ts'
import { useRunsPlace } from './use-runs-place.ts'

/** Returns the runs that the address selects, and the state of their list. */
export function useRunsView() {
  const place = useRunsPlace()
  const query = useRuns()
  const counts = useRunCounts()
  const follow = useFollow(query.runs[0]?.runId ?? '')
  const { isHeld } = follow
  const shown = useMemo(() => query.runs.filter(({ runId }) => !isHeld(runId)), [query.runs, isHeld])
  const state = useFollowedList({
    group: 'Runs',
    noun: 'run',
    follow,
    isLive: useLiveState() === 'live',
    keys: useMemo(() => shown.map(({ runId }) => runId), [shown]),
    openKey: place.run,
    open: place.open,
    close: place.close,
  })
  return { query, counts, shown, state, follow }
}

/** The list of runs and the details of the open one. @param props.children a bar below them. */
export function RunsView(props: {
  readonly view: ReturnType<typeof useRunsView>
  readonly children?: ReactNode
}) {
  const { query, counts, shown, state, follow } = props.view
  const place = useRunsPlace()
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="runs"
          lead={place.run === null ? 'list' : 'detail'}
          back={state.back}
          panes={[
            {
              id: 'list',
              size: 420,
              min: 340,
              content: <RunList query={query} state={state} shown={shown} counts={counts} />,
            },
            {
              id: 'detail',
              content:
                place.run === null ? (
                  query.runs.length > 0 && (
                    <EmptyState title="No run is open">Select a run to see its steps.</EmptyState>
                  )
                ) : (
                  <RunDetail key={place.run} runId={place.run} onReplay={follow.release} />
                ),
            },
          ]}
        />
      </Body>
      {props.children}
      <Foot
        hints={place.run === null ? listHints : hintsOf(query.runs.find(({ runId }) => runId === place.run))}
      >
        {counts !== undefined && (
          <span className="num">
            {formatNumber(counts.failed)} failed · {formatNumber(counts.waiting)} waiting ·{' '}
            {formatNumber(counts.running)} running
          </span>
        )}
      </Foot>
    </>
  )
}

/** The runs of the workflow that the address names, as a tab of it. @param props.children a bar below them. */
export function WorkflowRuns({ children }: { readonly children: ReactNode }) {
  return <RunsView view={useRunsView()}>{children}</RunsView>
}

const listHints: Hints = { updown: 'select', f: 'follow newest', '/': 'search' }
/** Returns the shortcuts that do something to a run; undefined for one that the list does not have. */
function hintsOf(run: Run | undefined): Hints {
  const canRetry =
    run !== undefined && ['failed', 'cancelled', 'waiting'].includes(run.status) && !wasStopped(run)
  return {
    updown: 'select',
    ...(canRetry && { 'mod+enter': 'retry from the failed step' }),
    ...(run !== undefined && !hasEnded(run) && { x: 'cancel' }),
    ...(run?.eventId != null && { r: 'replay event' }),
    c: 'copy',
  }
}
