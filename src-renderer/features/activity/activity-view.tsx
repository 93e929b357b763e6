import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { Feed as FeedPane } from './feed.tsx'
import { ItemDetail } from './item-detail.tsx'
import { kindOf, listHints } from './kinds.ts'
import { NotOpen } from './other-details.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import { useFeed } from './use-feed.ts'

const group = 'Activity'

type Feed = ReturnType<typeof useFeed>
type View = ReturnType<typeof useActivityView>

/** Returns the state of a list of the activity beside the details of the open row: of one connection or of all. */
export function useActivityView() {
  const place = useActivityPlace()
  const feed = useFeed(place)
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
  return { place, feed, state, open: useOpen(feed, place.item) }
}

/** The list with its filters, and the details of the open row. */
export function ActivityView(props: {
  readonly view: View
  /** Above both, unless a narrow window shows the details. */
  readonly above: ReactNode
  /** The width of the list, in pixels. */
  readonly size: number
}) {
  const { view, above, size } = props
  const { place, feed, state, open } = view
  return (
    <>
      <Body scrolls={false}>
        {(place.item === null || !state.isNarrow) && above}
        <MasterDetail
          name={place.isOfOne ? 'activity' : 'all-activity'}
          lead={place.item === null ? 'feed' : 'detail'}
          back={state.back}
          panes={[
            { id: 'feed', size, min: 320, content: <FeedPane feed={feed} state={state} /> },
            {
              id: 'detail',
              content:
                open.item !== undefined ? (
                  <ItemDetail key={open.item.id} item={open.item} onRaise={feed.follow.release} />
                ) : place.item === null ? (
                  feed.items.length > 0 && (
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
