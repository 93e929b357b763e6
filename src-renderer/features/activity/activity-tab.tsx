import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { HistoryChart } from '../../entities/connection/history-chart.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './activity.module.css'
import { CallDetail } from './call-detail.tsx'
import { EventDetail } from './event-detail.tsx'
import { Feed as FeedPane } from './feed.tsx'
import { kindOf, listHints } from './kinds.ts'
import { FailedRunDetail, NotificationDetail, NotOpen, PlainDetail } from './other-details.tsx'
import { RejectionDetail } from './rejection-detail.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import { useFeed } from './use-feed.ts'

const group = 'Activity'

type Feed = ReturnType<typeof useFeed>

/** A connection's events and calls, and the details of the open one. */
export function ActivityTab() {
  const { connectionId } = useCurrentConnection()
  const place = useActivityPlace()
  const feed = useFeed(connectionId, place)
  const { items, follow } = feed
  const state = useFollowedList({
    group,
    noun: 'row',
    follow,
    isLive: useLiveState() === 'live',
    keys: useMemo(() => items.map(({ id }) => id), [items]),
    openKey: place.item,
    open: place.open,
    close: place.close,
  })
  useShortcut(
    { keys: 'mod+shift+f', label: 'Search the activity', group },
    place.closeToFind,
    state.isNarrow && place.item !== null,
  )
  const open = useOpen(feed, place.item)
  return (
    <>
      <Body scrolls={false}>
        {(place.item === null || !state.isNarrow) && (
          <div className={classes.history}>
            <HistoryChart connectionId={connectionId} />
          </div>
        )}
        <MasterDetail
          name="activity"
          lead={place.item === null ? 'feed' : 'detail'}
          back={state.back}
          panes={[
            {
              id: 'feed',
              size: 392,
              min: 320,
              content: <FeedPane feed={feed} state={state} />,
            },
            {
              id: 'detail',
              content:
                open.item !== undefined ? (
                  <Detail key={open.item.id} item={open.item} onRaise={follow.release} />
                ) : place.item === null ? (
                  items.length > 0 && (
                    <EmptyState title="Nothing is open">Select a row to see its details.</EmptyState>
                  )
                ) : (
                  open.error !== null && <NotOpen error={open.error} />
                ),
            },
          ]}
        />
      </Body>
      <Foot hints={open.item === undefined ? listHints : kindOf(open.item).hints(open.item)}>
        <Counts feed={feed} />
      </Foot>
    </>
  )
}

/** Returns the item in the address, also one that the list does not have. */
function useOpen({ items, isKnown }: Feed, itemId: string | null) {
  const listed = useMemo(() => items.find(({ id }) => id === itemId), [items, itemId])
  const isAsked = itemId !== null && listed === undefined && isKnown
  const { data, error } = useQuery(api.activity.get.queryOptions({ input: isAsked ? { itemId } : skipToken }))
  return { item: listed ?? data, error: isAsked ? error : null }
}

function Detail(props: { readonly item: ListedOccurrence; readonly onRaise: () => void }): ReactElement {
  const { item, onRaise } = props
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed':
      return <EventDetail item={item} onRaise={onRaise} />
    case 'event.rejected':
      return <RejectionDetail rejection={item} />
    case 'call.finished':
      return <CallDetail call={item} />
    case 'call.refused':
    case 'alert.opened':
    case 'alert.closed':
      return <PlainDetail item={item} />
    case 'workflow.notified':
      return <NotificationDetail notification={item} />
    case 'run.failed':
      return <FailedRunDetail run={item} />
  }
}

/** How many items there are, as the filters count them. */
function Counts({ feed: { counts } }: { readonly feed: Feed }) {
  if (counts === null) return null
  const { inbound, outbound, rejected, isWhole } = counts
  return (
    <span className="num">
      {isWhole ? '' : 'At least '}
      {formatCount(inbound - rejected, 'event')} · {formatCount(outbound, 'call')} · {formatNumber(rejected)}{' '}
      rejected
    </span>
  )
}
