import { useMemo } from 'react'
import { useConnection, useConnectionsById } from '../../entities/connection/use-connections.ts'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { FollowedList, ListLine, type useFollowedList } from '../../ui/followed-list.tsx'
import { formatCount } from '../../ui/format.ts'
import { problemOf } from '../../ui/problem.ts'
import { SearchedLine } from '../../ui/search-older.tsx'
import { ActivityRow } from './activity-row.tsx'
import { EmptyFeed, searchedNoun } from './empty-feed.tsx'
import { FeedBar } from './feed-bar.tsx'
import { endWords } from './kinds.ts'
import { useActivityPlace } from './use-activity-place.ts'
import type { useFeed } from './use-feed.ts'

type Feed = ReturnType<typeof useFeed>
const keyOf = ({ id }: Feed['items'][number]) => id

/** The activity, newest first, with its filters. */
export function Feed(props: { readonly feed: Feed; readonly state: ReturnType<typeof useFollowedList> }) {
  const { feed, state } = props
  const { items, newer, counts, isKnown } = feed
  const place = useActivityPlace()
  const nameOf = useNames(place.isOfOne ? none : items)
  return (
    <FollowedList
      state={state}
      filters={place.isOfOne && <FeedBar counts={counts} state={state} />}
      items={items}
      getKey={keyOf}
      newer={newer}
      isKnown={isKnown}
      query={feed}
      failed="The activity could not be read"
      label="Events and calls, newest first"
      onEndReached={feed.loadOlder}
      renderRow={item => <ActivityRow item={item} connection={nameOf(item.connectionId)} />}
      none={<EmptyFeed search={feed.search} />}
      end={items.length > 0 ? <FeedEnd feed={feed} /> : <MemoryLine />}
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

const none: Feed['items'] = []

/** Returns a function that returns the name of a connection of these items. */
function useNames(items: Feed['items']) {
  const ids = useMemo(() => new Set(items.map(({ connectionId }) => connectionId)), [items])
  const connectionOf = useConnectionsById(ids)
  return (connectionId: string | null) => connectionOf?.(connectionId)?.name
}
