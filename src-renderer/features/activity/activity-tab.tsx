import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { api } from '../../client/client.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Body, Foot, type Hint } from '../../ui/page.tsx'
import { Panes } from '../../ui/panes.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import type { VirtualListHandle } from '../../ui/virtual-list.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useConnectionStatistics } from '../connections/use-connections.ts'
import { CallDetail } from './call-detail.tsx'
import { type Entry, isLiveEvent, keyOf, resolveKey } from './entry.ts'
import { EventDetail } from './event-detail.tsx'
import { Feed } from './feed.tsx'
import { RejectionDetail } from './rejection-detail.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import { useFeed } from './use-feed.ts'
import { useStoredEventsCache } from './use-stored-events.ts'

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
  const list = useRef<VirtualListHandle>(null)
  const isNarrow = useNarrow()
  // In a narrow window, the list still marks the row that was open.
  const [last, setLast] = useState(item)
  if (item !== null && item !== last) setLast(item)

  const { entries } = feed
  const selectedKey = item ?? (isNarrow ? last : null)
  function step(by: number) {
    const at = entries.findIndex(entry => keyOf(entry) === selectedKey)
    const next = entries[Math.max(0, Math.min(entries.length - 1, at + by))]
    if (next !== undefined) place.open(keyOf(next))
    list.current?.focus()
  }
  useShortcut({ keys: 'arrowdown', label: 'Next row', group }, () => step(1))
  useShortcut({ keys: 'arrowup', label: 'Previous row', group }, () => step(-1))
  useShortcut({ keys: 'escape', label: 'Close the details', group }, place.close, { enabled: item !== null })
  useShortcut({ keys: 'mod+shift+f', label: 'Search the activity', group }, place.closeToFind, {
    enabled: isNarrow && item !== null,
  })
  const open = useOpen(feed, item)
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
              content: <Feed feed={feed} declared={declared ?? null} selectedKey={selectedKey} list={list} />,
            },
            { id: 'detail', content: open.content },
          ]}
        />
      </Body>
      <ActivityFoot open={open.kind} />
    </>
  )
}

/** Returns the details of the row in the address, also of a stored event that the feed does not show. */
function useOpen(
  feed: ReturnType<typeof useFeed>,
  item: string | null,
): { readonly kind: OpenKind; readonly content: ReactNode } {
  const { connectionId } = useCurrentConnection()
  const { readAgain } = useStoredEventsCache(connectionId)
  if (item === null)
    return {
      kind: null,
      content: feed.entries.length > 0 && (
        <EmptyState title="Nothing is open">Select a row to see its details.</EmptyState>
      ),
    }
  const isOpen = (one: Entry) => keyOf(one) === item
  const entry = feed.items.find(isOpen) ?? feed.entries.find(isOpen)
  if (item.startsWith('evt_')) {
    const live = entry !== undefined && isLiveEvent(entry) ? entry : null
    return {
      kind:
        live?.type === 'event.repeated' || (live?.type === 'event.accepted' && !live.stored)
          ? 'unstored'
          : 'event',
      content: <EventDetail key={item} eventId={item} live={live} entries={feed.entries} />,
    }
  }
  if (entry === undefined || isLiveEvent(entry) || entry.type === 'event.stored')
    return {
      kind: 'other',
      content: feed.isKnown && (
        <EmptyState title="This is no longer kept">
          A connection’s newest 200 refused requests are kept for 7 days, and its newest 1,000 calls for 30.
        </EmptyState>
      ),
    }
  if (entry.type === 'call.finished')
    return { kind: 'other', content: <CallDetail key={entry.id} call={entry} /> }
  if (entry.type === 'activity.missed')
    return {
      kind: 'other',
      content: (
        <EmptyState
          title={`${formatCount(entry.count, 'item')} missed`}
          actions={<Button onClick={() => void readAgain()}>Reload stored events</Button>}
        >
          They arrived faster than this page could read. Stored events can be loaded again; other items
          cannot.
        </EmptyState>
      ),
    }
  return {
    kind: 'rejection',
    content: (
      <RejectionDetail
        key={item}
        rejection={entry.type === 'attempt' ? { ...entry.attempt, bytes: null } : entry}
        attempt={feed.attemptOf(entry)}
        isPending={feed.attemptsPending}
      />
    ),
  }
}

/** An event that is not stored offers fewer actions. */
type OpenKind = 'event' | 'unstored' | 'rejection' | 'other' | null

const followHint: Hint = { keys: 'f', does: 'follow newest' }
const searchHint: Hint = { keys: '/', does: 'search' }
const selectHint: Hint = { keys: 'updown', does: 'select' }
const hints: Readonly<Record<Exclude<OpenKind, null> | 'none', readonly Hint[]>> = {
  none: [selectHint, followHint, searchHint],
  other: [selectHint, followHint, searchHint],
  rejection: [selectHint, followHint, searchHint, { keys: 'c', does: 'copy for the sender' }],
  unstored: [selectHint, { keys: 'e', does: 'edit and send' }, { keys: 'd', does: 'compare' }, followHint],
  event: [
    selectHint,
    { keys: 'r', does: 'replay' },
    { keys: 'e', does: 'edit and send' },
    { keys: 'd', does: 'compare' },
    { keys: 'backspace', does: 'delete' },
  ],
}

/** The shortcuts of the open row, and the figures of the last 24 hours. */
function ActivityFoot({ open }: { readonly open: OpenKind }) {
  const { connectionId } = useCurrentConnection()
  const own = useConnectionStatistics(connectionId)
  return (
    <Foot hints={hints[open ?? 'none']}>
      {own !== undefined && (
        <span className="num">
          {formatCount(own.accepted, 'event')} · {formatCount(own.calls, 'call')} ·{' '}
          {formatNumber(own.rejected)} rejected in 24 hours
        </span>
      )}
    </Foot>
  )
}
