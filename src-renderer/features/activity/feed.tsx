import { useMemo } from 'react'
import { type ListedOccurrence, mostGroups } from '#shared/model/activity.ts'
import { useConnection, useConnectionsById } from '../../entities/connection/use-connections.ts'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { FollowedList, ListLine, type useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { problemOf } from '../../ui/problem.ts'
import { SearchedLine } from '../../ui/search-older.tsx'
import type { ListSections } from '../../ui/virtual-list.tsx'
import { ActivityRow } from './activity-row.tsx'
import { EmptyFeed, searchedNoun } from './empty-feed.tsx'
import { FeedBar } from './feed-bar.tsx'
import { dayWords, type FeedRow, isGroup, mostGroupRows, sectionOf } from './feed-rows.ts'
import { allOf } from './group-band.tsx'
import { GroupRow } from './group-row.tsx'
import { endWords } from './kinds.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import type { useChecks } from './use-checks.ts'
import type { useExport } from './use-export.ts'
import type { useFeed } from './use-feed.ts'

type Feed = ReturnType<typeof useFeed>
const keyOf = ({ id }: FeedRow) => id

/** The activity, newest first, with its filters. */
export function Feed(props: {
  readonly feed: Feed
  readonly state: ReturnType<typeof useFollowedList>
  readonly checked: ReturnType<typeof useChecks>
  readonly exporting: ReturnType<typeof useExport>
  /** The item that is open, which is the newest of an open group. */
  readonly newest: ListedOccurrence | undefined
}) {
  const { feed, state, checked, exporting, newest } = props
  const { rows, items, newer, counts, isKnown, groups } = feed
  const place = useActivityPlace()
  const causes = groups.length
  const failed = groups.reduce((sum, { count }) => sum + count, 0)
  // The service returns only so many groups.
  const atLeast = causes === mostGroups ? 'At least ' : ''
  const sections = useMemo<ListSections<FeedRow>>(
    () => ({
      of: sectionOf,
      height: 30,
      render: row =>
        isGroup(row) ? (
          <>
            <span className="w5 nowrap">Failed, by cause</span>
            <span className="num t3">{`${atLeast}${formatNumber(failed)}`}</span>
            {causes > mostGroupRows && (
              <span className="push t3 num cut">
                the most frequent {mostGroupRows} of {atLeast.toLowerCase()}
                {formatCount(causes, 'cause')}
              </span>
            )}
          </>
        ) : (
          <span className="w5">{dayWords(row.at, Date.now())}</span>
        ),
    }),
    [causes, failed, atLeast],
  )
  const nameOf = useNames(place.isOfOne ? none : rows)
  return (
    <FollowedList
      state={state}
      filters={place.isOfOne && <FeedBar counts={counts} state={state} />}
      items={rows}
      pinned={rows.length - items.length}
      sections={sections}
      {...(!place.isOfOne && {
        checks: checked.checks,
        onActivate: (row: FeedRow) =>
          isGroup(row) && place.set(allOf(row.group, row.id === place.group ? newest : undefined)),
      })}
      getKey={keyOf}
      newer={newer}
      isKnown={isKnown}
      query={feed}
      failed="The activity could not be read"
      label="Events and calls, newest first"
      onEndReached={feed.loadOlder}
      renderRow={row =>
        isGroup(row) ? (
          <GroupRow row={row} connection={nameOf(row.group.connectionId)} />
        ) : (
          <ActivityRow
            item={row}
            connection={nameOf(row.connectionId)}
            isChecked={place.isOfOne ? undefined : checked.checks.isChecked(row)}
            onToggle={checked.checks.toggle}
          />
        )
      }
      none={<EmptyFeed search={feed.search} />}
      end={
        <>
          {items.length > 0 ? <FeedEnd feed={feed} /> : <MemoryLine />}
          <SelectionBar
            checked={checked}
            exporting={exporting}
            selected={feed.selected}
            total={feed.total}
            list={state.list}
          />
        </>
      }
    />
  )
}

/** Says what the rows lack, and why no older ones follow. */
function FeedEnd({ feed }: { readonly feed: Feed }) {
  const place = useActivityPlace()
  const { error, olderError, isLoadingOlder, damaged, end, search } = feed
  if (error !== null)
    return (
      <ListLine isAlert action="Try again" onAction={feed.refetch}>
        The newest could not be read. {problemOf(error).message}
      </ListLine>
    )
  if (olderError !== null)
    return (
      <ListLine isAlert action="Try again" onAction={feed.loadOlder}>
        Older ones could not be read. {problemOf(olderError).message}
      </ListLine>
    )
  if (search !== null) return <SearchedLine search={search} noun={searchedNoun} group="Activity" />
  if (isLoadingOlder)
    return (
      <Delayed ms={500}>
        <ListLine>Reading older ones…</ListLine>
      </Delayed>
    )
  return (
    <>
      {damaged > 0 && (
        <ListLine>
          {formatCount(damaged, 'event')} cannot be read: the disk has changed what is stored.
        </ListLine>
      )}
      <MemoryLine />
      {end !== null && <ListLine>{endWords(end, place.isNarrowed || place.show !== undefined)}</ListLine>}
    </>
  )
}

/** Says that the connection does not store its events, and offers to change that. */
function MemoryLine() {
  const { connection: connectionId } = useActivityPlace()
  const persistEvents = useConnection(connectionId)?.persistEvents
  const update = useUpdateConnection()
  const isOneOfSeveral = useHasSeveralNodes()
  if (connectionId === undefined || persistEvents !== false) return null
  return (
    <ListLine
      action="Log inbound events"
      isBusy={update.isPending}
      onAction={() => update.mutate({ connectionId, persistEvents: true })}
    >
      {isOneOfSeveral
        ? 'Events are kept only in the memory of the node that has received them, until it restarts.'
        : 'Events are kept in memory only, until a restart.'}
    </ListLine>
  )
}

const none: readonly FeedRow[] = []

/** Returns a function that returns the name of a connection of these rows. */
function useNames(rows: readonly FeedRow[]) {
  const ids = useMemo(() => new Set(rows.map(row => (isGroup(row) ? row.group : row).connectionId)), [rows])
  const connectionOf = useConnectionsById(ids)
  return (connectionId: string | null) => connectionOf?.(connectionId)?.name
}
