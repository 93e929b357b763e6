import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Run, RunCounts } from '#shared/model/run.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FollowButton, useFollowedList } from '../../ui/followed-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Body, Foot, type Hints, Top, useTitle } from '../../ui/page.tsx'
import { Panes } from '../../ui/panes.tsx'
import { useFollow } from '../../ui/use-follow.ts'
import { periodOf, periods } from './periods.ts'
import { RunDetail } from './run-detail.tsx'
import { RunList } from './run-list.tsx'
import { hasEnded, wasStopped } from './run-words.ts'
import { useRunCounts, useRuns } from './use-runs.ts'
import { useRunsPlace } from './use-runs-place.ts'

/** The runs of the workflows, and the details of the open one. */
export function RunsPage() {
  useTitle('Runs')
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
    keys: useMemo(() => shown.map(({ runId }) => runId), [shown]),
    openKey: place.run,
    open: place.open,
    close: place.close,
  })
  return (
    <>
      <Top
        crumbs={[
          <Link key="workflows" to="/workflows">
            Workflows
          </Link>,
        ]}
        title="Runs"
        actions={
          <>
            <Total counts={counts} />
            <FollowButton state={state} />
          </>
        }
      />
      <Body scrolls={false}>
        <Panes
          name="runs"
          lead={place.run === null ? 'list' : 'detail'}
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

/** Shows the number of runs in the period. */
function Total({ counts }: { readonly counts: RunCounts | undefined }) {
  const period = periodOf(useRunsPlace().since)
  if (counts === undefined || period === null) return null
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  return (
    <span className="sm t3 num nowrap">
      {formatNumber(sum)} {periods[period].within}
    </span>
  )
}
