import { useLiveState } from '../../client/live-provider.tsx'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { FollowedList, ListLine, type useFollowedList } from '../../ui/followed-list.tsx'
import { problemOf } from '../../ui/problem.ts'
import { ActivityRow } from './activity-row.tsx'
import { EmptyFeed } from './empty-feed.tsx'
import { keyOf } from './entry.ts'
import { FeedBar } from './feed-bar.tsx'
import type { useFeed } from './use-feed.ts'
import type { useStoredEvents } from './use-stored-events.ts'

/** The activity, newest first, with its filters. */
export function Feed(props: {
  readonly feed: ReturnType<typeof useFeed>
  readonly state: ReturnType<typeof useFollowedList>
  readonly declared: ReadonlySet<string> | null
}) {
  const { feed, state, declared } = props
  const { entries, newer, stored, attemptOf, counts, isKnown } = feed
  const isLost = useLiveState() === 'lost'
  return (
    <FollowedList
      state={state}
      filters={<FeedBar counts={isKnown || entries.length > 0 ? counts : null} state={state} />}
      items={entries}
      getKey={keyOf}
      newer={newer}
      isKnown={isKnown}
      label="Events and calls, newest first"
      onEndReached={stored.loadMore}
      renderRow={entry => <ActivityRow entry={entry} declared={declared} attempt={attemptOf(entry)} />}
      none={<EmptyFeed isPending={!isKnown && !isLost} isLost={isLost} />}
      end={<FeedEnd stored={stored} />}
    />
  )
}

/** Says that older events are loading, could not be read, or are not stored. */
function FeedEnd({ stored }: { readonly stored: ReturnType<typeof useStoredEvents> }) {
  const { connectionId, persistEvents } = useCurrentConnection()
  const update = useUpdateConnection()
  const { error, isLoading, retry } = stored
  if (error !== null)
    return (
      <ListLine isAlert action="Try again" onAction={retry}>
        Older events could not be read. {problemOf(error).message}
      </ListLine>
    )
  if (isLoading)
    return (
      <Delayed ms={500}>
        <ListLine>Reading older events…</ListLine>
      </Delayed>
    )
  if (persistEvents) return null
  return (
    <ListLine
      action="Log inbound events"
      isBusy={update.isPending}
      onAction={() => update.mutate({ connectionId, persistEvents: true })}
    >
      Events are kept in memory only, until a restart.
    </ListLine>
  )
}
