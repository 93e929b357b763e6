import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { ChevronUp } from 'lucide-react'
import type { RefObject } from 'react'
import { useLiveState } from '../../client/live-provider.tsx'
import { problemOf } from '../../client/problem.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useUpdateConnection } from '../connections/use-update-connection.ts'
import classes from './activity.module.css'
import { ActivityRow } from './activity-row.tsx'
import { EmptyFeed } from './empty-feed.tsx'
import { keyOf } from './entry.ts'
import { FeedBar } from './feed-bar.tsx'
import { useActivityPlace } from './use-activity-place.ts'
import type { useFeed } from './use-feed.ts'
import type { useStoredEvents } from './use-stored-events.ts'

/** In pixels. */
const rowHeight = 48
/** Milliseconds without new rows until a screen reader announces the count. */
const announceAfterMs = 1000

/** The activity, newest first, with its filters. */
export function Feed(props: {
  readonly feed: ReturnType<typeof useFeed>
  readonly declared: ReadonlySet<string> | null
  readonly selectedKey: string | null
  readonly list: RefObject<VirtualListHandle | null>
}) {
  const { feed, declared, selectedKey, list } = props
  const { entries, newer, follow, stored, attemptOf, counts } = feed
  const { open } = useActivityPlace()
  const live = useLiveState()
  const showNewest = () => {
    follow.follow()
    list.current?.scrollToTop()
  }
  useShortcut({ keys: 'f', label: 'Follow newest or pause', group: 'Activity' }, () => {
    if (follow.isFollowing) follow.toggle()
    else showNewest()
  })
  const status = !feed.isKnown
    ? ''
    : newer > 0
      ? `${formatCount(newer, 'newer row')} waiting`
      : `${formatCount(entries.length, 'row')} shown`
  const [announced] = useDebouncedValue(status, announceAfterMs)
  return (
    <section className={classes.feed} aria-label="Activity">
      <FeedBar
        counts={feed.isKnown || entries.length > 0 ? counts : null}
        isLive={live === 'live'}
        isFollowing={follow.isFollowing}
        onToggle={() => (follow.isFollowing ? follow.toggle() : showNewest())}
        list={list}
      />
      <div className="sr" role="status">
        {announced}
      </div>
      {live === 'lost' && (
        <div className={classes.line} data-place="top">
          Not up to date: the service does not answer. Reconnecting…
        </div>
      )}
      {newer > 0 && (
        <button
          type="button"
          className={`num ${classes.newer}`}
          onClick={() => {
            showNewest()
            // This button disappears.
            list.current?.focus()
          }}
        >
          <ChevronUp size={12} />
          {formatNumber(newer)} newer
        </button>
      )}
      <div className={classes.list}>
        {entries.length === 0 ? (
          <EmptyFeed isPending={!feed.isKnown && live !== 'lost'} isLost={live === 'lost'} />
        ) : (
          <VirtualList
            ref={list}
            label="Events and calls, newest first"
            items={entries}
            rowHeight={rowHeight}
            getKey={keyOf}
            selectedKey={selectedKey}
            onSelect={entry => open(keyOf(entry))}
            onEndReached={stored.loadMore}
            stickToTop={follow.isFollowing}
            onTopChange={follow.onTopChange}
            renderRow={entry => <ActivityRow entry={entry} declared={declared} attempt={attemptOf(entry)} />}
          />
        )}
      </div>
      <FeedEnd stored={stored} />
    </section>
  )
}

/** Says that older events are loading, could not be read, or are not stored. */
function FeedEnd({ stored }: { readonly stored: ReturnType<typeof useStoredEvents> }) {
  const { connectionId, persistEvents } = useCurrentConnection()
  const update = useUpdateConnection()
  const { error, isLoading, retry } = stored
  if (error !== null)
    return (
      <div className={classes.line} role="alert">
        <span className="grow">Older events could not be read. {problemOf(error).message}</span>
        <Button size="xs" onClick={retry}>
          Try again
        </Button>
      </div>
    )
  if (isLoading)
    return (
      <Delayed ms={500}>
        <div className={classes.line}>Reading older events…</div>
      </Delayed>
    )
  if (persistEvents) return null
  return (
    <div className={classes.line}>
      <span className="grow">Events are kept in memory only, until a restart.</span>
      <Button
        size="xs"
        loading={update.isPending}
        onClick={() => update.mutate({ connectionId, persistEvents: true })}
      >
        Log inbound events
      </Button>
    </div>
  )
}
