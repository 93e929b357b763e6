import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useMemo } from 'react'
import { keptAttempts } from '#shared/model/attempt.ts'
import { keptCalls } from '#shared/model/call.ts'
import { api } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useConnectionStatistics } from '../../entities/connection/use-connections.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Body, Foot, type Hints } from '../../ui/page.tsx'
import { Panes } from '../../ui/panes.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { CallDetail } from './call-detail.tsx'
import { type Entry, isLiveEvent, keyOf, resolveKey } from './entry.ts'
import { EventDetail } from './event-detail.tsx'
import { Feed as FeedPane } from './feed.tsx'
import { kindOf, listHints, storedEventHints } from './kinds.ts'
import { GapDetail, NotificationDetail, PlainDetail } from './other-details.tsx'
import { RejectionDetail } from './rejection-detail.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import { useFeed } from './use-feed.ts'

const group = 'Activity'

type Feed = ReturnType<typeof useFeed>

/** A connection's events and calls, and the details of the open one. */
export function ActivityTab() {
  const { connectionId } = useCurrentConnection()
  const place = useActivityPlace()
  const { show, text, eventName } = place
  const selection = useMemo(() => ({ text, eventName }), [text, eventName])
  const feed = useFeed(connectionId, show, selection)
  const item = resolveKey(place.item, feed.entries)
  const { data: eventTypes } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const declared = useMemo(() => eventTypes && new Set(eventTypes.map(type => type.eventName)), [eventTypes])
  const { entries } = feed
  const state = useFollowedList({
    group,
    noun: 'row',
    follow: feed.follow,
    isLive: useLiveState() === 'live',
    keys: useMemo(() => entries.map(keyOf), [entries]),
    openKey: item,
    open: place.open,
    close: place.close,
  })
  useShortcut(
    { keys: 'mod+shift+f', label: 'Search the activity', group },
    place.closeToFind,
    state.isNarrow && item !== null,
  )
  const open = openOf(feed, item)
  return (
    <>
      <Body scrolls={false}>
        <Panes
          name="activity"
          lead={item === null ? 'feed' : 'detail'}
          panes={[
            {
              id: 'feed',
              size: 392,
              min: 320,
              content: <FeedPane feed={feed} state={state} declared={declared ?? null} />,
            },
            { id: 'detail', content: open.content },
          ]}
        />
      </Body>
      <ActivityFoot hints={open.hints} />
    </>
  )
}

/** Returns the details of the row in the address, also of a stored event that the feed does not show. */
function openOf(feed: Feed, item: string | null): { readonly hints: Hints; readonly content: ReactNode } {
  const { entries, items, follow } = feed
  if (item === null)
    return {
      hints: listHints,
      content: entries.length > 0 && (
        <EmptyState title="Nothing is open">Select a row to see its details.</EmptyState>
      ),
    }
  const isOpen = (one: Entry) => keyOf(one) === item
  const entry = items.find(isOpen) ?? entries.find(isOpen)
  if (entry !== undefined) return { hints: kindOf(entry).hints(entry), content: detailOf(entry, item, feed) }
  if (item.startsWith('evt_'))
    return {
      hints: storedEventHints,
      content: (
        <EventDetail key={item} eventId={item} live={null} entries={entries} onRaise={follow.release} />
      ),
    }
  return {
    hints: listHints,
    content: feed.isKnown && (
      <EmptyState title="This is no longer kept">
        {`A connection’s newest ${keptAttempts.most} refused requests are kept for ${keptAttempts.days} days, and its newest ${formatNumber(keptCalls.most)} calls for ${keptCalls.days}.`}
      </EmptyState>
    ),
  }
}

/** Returns the details of a row. */
function detailOf(entry: Entry, key: string, feed: Feed): ReactElement {
  switch (entry.type) {
    case 'event.rejected':
    case 'attempt':
      return (
        <RejectionDetail
          key={key}
          rejection={entry.type === 'attempt' ? { ...entry.attempt, bytes: null } : entry}
          attempt={feed.attemptOf(entry)}
          isPending={feed.attemptsPending}
        />
      )
    case 'call.finished':
      return <CallDetail key={key} call={entry} />
    case 'workflow.notified':
      return <NotificationDetail key={key} notification={entry} />
    case 'activity.missed':
      return <GapDetail count={entry.count} />
    case 'event.stored':
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed': {
      const live = isLiveEvent(entry) ? entry : null
      const { entries, follow } = feed
      return (
        <EventDetail
          key={key}
          eventId={entry.eventId}
          live={live}
          entries={entries}
          onRaise={follow.release}
        />
      )
    }
    default:
      return <PlainDetail key={key} entry={entry} />
  }
}

/** The shortcuts of the open row, and the figures of the last 24 hours. */
function ActivityFoot({ hints }: { readonly hints: Hints }) {
  const { connectionId } = useCurrentConnection()
  const own = useConnectionStatistics(connectionId)
  return (
    <Foot hints={hints}>
      {own !== undefined && (
        <span className="num">
          {formatCount(own.accepted, 'event')} · {formatCount(own.calls, 'call')} ·{' '}
          {formatNumber(own.rejected)} rejected in 24 hours
        </span>
      )}
    </Foot>
  )
}
