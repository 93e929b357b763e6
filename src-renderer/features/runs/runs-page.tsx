import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Pause } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { Run, RunCounts } from '#shared/model/run.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import { Body, Foot, type Hint, Top, useTitle } from '../../ui/page.tsx'
import { Panes } from '../../ui/panes.tsx'
import { Dot } from '../../ui/pill.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useFollow } from '../../ui/use-follow.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import type { VirtualListHandle } from '../../ui/virtual-list.tsx'
import { periodOf, periods } from './periods.ts'
import { RunDetail } from './run-detail.tsx'
import { RunList } from './run-list.tsx'
import { hasEnded } from './run-words.ts'
import { useRunCounts, useRuns } from './use-runs.ts'
import { useRunsPlace } from './use-runs-place.ts'

const group = 'Runs'

/** The runs of the workflows, and the details of the open one. */
export function RunsPage() {
  useTitle('Runs')
  const place = useRunsPlace()
  const query = useRuns()
  const counts = useRunCounts()
  const follow = useFollow(query.runs[0]?.runId ?? '')
  const list = useRef<VirtualListHandle>(null)
  const isNarrow = useNarrow()
  // In a narrow window, the list still marks the row that was open.
  const [last, setLast] = useState(place.run)
  if (place.run !== null && place.run !== last) setLast(place.run)
  const selectedKey = place.run ?? (isNarrow ? last : null)

  const { isHeld } = follow
  const shown = useMemo(() => query.runs.filter(({ runId }) => !isHeld(runId)), [query.runs, isHeld])
  function step(by: number) {
    const at = shown.findIndex(({ runId }) => runId === selectedKey)
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))]
    if (next !== undefined) place.open(next.runId)
    list.current?.focus()
  }
  function showNewest() {
    follow.follow()
    list.current?.scrollToTop()
  }
  const toggle = () => (follow.isFollowing ? follow.toggle() : showNewest())
  useShortcut({ keys: 'arrowdown', label: 'Next run', group }, () => step(1))
  useShortcut({ keys: 'arrowup', label: 'Previous run', group }, () => step(-1))
  useShortcut({ keys: 'escape', label: 'Close the details', group }, place.close, {
    enabled: place.run !== null,
  })
  useShortcut({ keys: 'f', label: 'Follow newest or pause', group }, toggle)
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
            <FollowButton isFollowing={follow.isFollowing} onToggle={toggle} />
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
              content: (
                <RunList
                  query={query}
                  shown={shown}
                  isFollowing={follow.isFollowing}
                  onTopChange={follow.onTopChange}
                  showNewest={showNewest}
                  counts={counts}
                  selectedKey={selectedKey}
                  list={list}
                />
              ),
            },
            {
              id: 'detail',
              content:
                place.run === null ? (
                  query.runs.length > 0 && (
                    <EmptyState title="No run is open">Select a run to see its steps.</EmptyState>
                  )
                ) : (
                  <RunDetail key={place.run} runId={place.run} />
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

const listHints: readonly Hint[] = [
  { keys: 'updown', does: 'select' },
  { keys: 'f', does: 'follow newest' },
  { keys: '/', does: 'search' },
]
/** Returns the shortcuts that do something to a run; undefined for one that the list does not have. */
function hintsOf(run: Run | undefined): readonly Hint[] {
  const canRetry = run?.status === 'failed' || run?.status === 'cancelled' || run?.status === 'waiting'
  return [
    { keys: 'updown', does: 'select' },
    ...(canRetry ? [{ keys: 'mod+enter', does: 'retry from the failed step' }] : []),
    ...(run !== undefined && !hasEnded(run) ? [{ keys: 'x', does: 'cancel' }] : []),
    ...(run?.eventId == null ? [] : [{ keys: 'r', does: 'replay event' }]),
    { keys: 'c', does: 'copy' },
  ]
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

function FollowButton(props: { readonly isFollowing: boolean; readonly onToggle: () => void }) {
  const { isFollowing, onToggle } = props
  const isLive = useLiveState() === 'live'
  return (
    <Button
      aria-pressed={isFollowing}
      onClick={onToggle}
      title={isFollowing ? 'New runs appear at once. F pauses.' : 'New runs wait. F shows them.'}
      leftSection={isFollowing ? <Dot tone={isLive ? 'ok' : 'mute'} live={isLive} /> : <Pause size={12} />}
      rightSection={<Keys keys="f" />}
    >
      {!isFollowing ? 'Paused' : isLive ? 'Following' : 'Waiting'}
    </Button>
  )
}
