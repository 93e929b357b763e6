import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useMemo } from 'react'
import type { Attempt } from '#shared/model/attempt.ts'
import { api } from '../../client/client.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Body, Foot, type Hints } from '../../ui/page.tsx'
import { Panes } from '../../ui/panes.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useConnectionStatistics } from '../connections/use-connections.ts'
import { CallDetail } from './call-detail.tsx'
import { type Entry, keyOf, resolveKey } from './entry.ts'
import { EventDetail } from './event-detail.tsx'
import { Feed } from './feed.tsx'
import { GapDetail } from './gap-detail.tsx'
import { type Detail, kindOf, listHints, storedEventHints } from './kinds.ts'
import { NotificationDetail } from './notification-detail.tsx'
import { RefusedCallDetail } from './refused-call-detail.tsx'
import { RejectionDetail } from './rejection-detail.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import { useFeed } from './use-feed.ts'

const group = 'Activity'

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
    keys: useMemo(() => entries.map(keyOf), [entries]),
    openKey: item,
    open: place.open,
    close: place.close,
  })
  useShortcut({ keys: 'mod+shift+f', label: 'Search the activity', group }, place.closeToFind, {
    enabled: state.isNarrow && item !== null,
  })
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
              content: <Feed feed={feed} state={state} declared={declared ?? null} />,
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
function openOf(
  feed: ReturnType<typeof useFeed>,
  item: string | null,
): { readonly hints: Hints; readonly content: ReactNode } {
  const { entries, items } = feed
  if (item === null)
    return {
      hints: listHints,
      content: entries.length > 0 && (
        <EmptyState title="Nothing is open">Select a row to see its details.</EmptyState>
      ),
    }
  const isOpen = (one: Entry) => keyOf(one) === item
  const entry = items.find(isOpen) ?? entries.find(isOpen)
  const facts = {
    key: item,
    entries,
    attempt: entry && feed.attemptOf(entry),
    attemptsPending: feed.attemptsPending,
  }
  if (entry !== undefined) {
    const { hints, detail } = kindOf(entry)
    return { hints: hints(entry), content: contentOf(detail(entry), facts) }
  }
  if (item.startsWith('evt_'))
    return {
      hints: storedEventHints,
      content: contentOf({ view: 'event', eventId: item, live: null }, facts),
    }
  return {
    hints: listHints,
    content: feed.isKnown && (
      <EmptyState title="This is no longer kept">
        A connection’s newest 200 refused requests are kept for 7 days, and its newest 1,000 calls for 30.
      </EmptyState>
    ),
  }
}

type ViewFacts = {
  readonly key: string
  readonly entries: readonly Entry[]
  readonly attempt: Attempt | undefined
  readonly attemptsPending: boolean
}

/** Returns the component of a view. */
function contentOf(detail: Detail, { key, entries, attempt, attemptsPending }: ViewFacts): ReactElement {
  switch (detail.view) {
    case 'event':
      return <EventDetail key={key} eventId={detail.eventId} live={detail.live} entries={entries} />
    case 'rejection':
      return (
        <RejectionDetail
          key={key}
          rejection={detail.rejection}
          attempt={attempt}
          isPending={attemptsPending}
        />
      )
    case 'call':
      return <CallDetail key={key} call={detail.call} />
    case 'refused call':
      return <RefusedCallDetail key={key} refused={detail.refused} />
    case 'notification':
      return <NotificationDetail key={key} notification={detail.notification} />
    case 'gap':
      return <GapDetail count={detail.count} />
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
