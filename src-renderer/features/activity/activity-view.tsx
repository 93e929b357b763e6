import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, type Hints } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { Feed as FeedPane } from './feed.tsx'
import { isGroup } from './feed-rows.ts'
import { GroupBand } from './group-band.tsx'
import { ItemDetail } from './item-detail.tsx'
import { kindOf, listHints, pageHints } from './kinds.ts'
import { NotOpen } from './other-details.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import { useChecks } from './use-checks.ts'
import { useExport } from './use-export.ts'
import { useFeed } from './use-feed.ts'

const group = 'Activity'

type Feed = ReturnType<typeof useFeed>
type View = ReturnType<typeof useActivityView>

/** Returns the state of a list of the activity beside the details of the open row: of one connection or of all. */
export function useActivityView() {
  const place = useActivityPlace()
  const feed = useFeed(place)
  const { rows, follow } = feed
  const checked = useChecks(rows, JSON.stringify(feed.selected))
  const exporting = useExport()
  const state = useFollowedList({
    group,
    noun: 'row',
    follow,
    isLive: useLiveState() === 'live',
    keys: useMemo(() => rows.map(({ id }) => id), [rows]),
    openKey: place.openKey,
    open: place.open,
    close: place.close,
  })
  useShortcut(
    { keys: 'mod+shift+f', label: 'Search the activity', group },
    place.closeToFind,
    state.isNarrow && place.openKey !== null,
  )
  useShortcut({ keys: 'mod+a', label: 'Select all that match', group }, checked.checkAll, !place.isOfOne)
  const openRow = place.group === undefined ? undefined : rows.find(({ id }) => id === place.group)
  const openGroup = openRow !== undefined && isGroup(openRow) ? openRow.group : null
  const open = useOpen(feed, openGroup?.newestId ?? place.item)
  return { place, feed, state, checked, exporting, openGroup, open }
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
  const { place, feed, state, checked, exporting, openGroup, open } = view
  return (
    <>
      <Body scrolls={false}>
        {(place.openKey === null || !state.isNarrow) && above}
        <MasterDetail
          name={place.isOfOne ? 'activity' : 'all-activity'}
          lead={place.openKey === null ? 'feed' : 'detail'}
          back={state.back}
          panes={[
            {
              id: 'feed',
              size,
              min: 320,
              content: <FeedPane {...{ feed, state, checked, exporting }} newest={open.item} />,
            },
            {
              id: 'detail',
              content:
                open.item !== undefined ? (
                  <>
                    {openGroup !== null && <GroupBand group={openGroup} newest={open.item} />}
                    <ItemDetail key={open.item.id} item={open.item} onRaise={feed.follow.release} />
                  </>
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
      <Foot hints={hintsOf(view)}>
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

function hintsOf({ place, openGroup, open }: View): Hints {
  if (openGroup !== null) return { ...listHints, enter: 'show all of them' }
  if (open.item !== undefined) return kindOf(open.item).hints(open.item)
  return place.isOfOne ? listHints : pageHints
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
