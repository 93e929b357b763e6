import { useDebouncedValue, useThrottledValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useRef } from 'react'
import type { Attempt } from '#shared/model/attempt.ts'
import { api } from '../../client/client.ts'
import { useActivity, useLiveState } from '../../client/live-provider.tsx'
import { useFollow } from '../../ui/use-follow.ts'
import type { Entry, Rejection } from './entry.ts'
import { eventIdsOf, mergeEntries, otherAttempts } from './merge-entries.ts'
import { countEntries, isShown, matches, type Selection, type Show } from './select-entries.ts'
import { storedEventsCache, useStoredEvents } from './use-stored-events.ts'

/** Milliseconds after typing until the log is searched. */
const searchDelayMs = 250
const attemptsEveryMs = 1000
const noAttempts: Attempt[] = []

/** Returns a connection's activity: live items, stored events and refused requests in one list. */
export function useFeed(connectionId: string, show: Show | undefined, selection: Selection) {
  const { text, eventName } = selection
  const { items } = useActivity(connectionId)
  const live = useLiveState()
  const follow = useFollow(items.at(-1)?.id ?? '')
  const [searched] = useDebouncedValue(text, searchDelayMs)
  const stored = useStoredEvents(
    connectionId,
    { text: searched, eventName },
    show === undefined || show === 'inbound',
  )
  const { readAgain } = storedEventsCache(connectionId)
  const wasLost = useRef(false)
  const catchUp = useEffectEvent(() => void readAgain())
  useEffect(() => {
    // A restarted service no longer sends the items from the time without a connection.
    if (live === 'live' && wasLost.current) catchUp()
    if (live !== 'connecting') wasLost.current = live === 'lost'
  }, [live])
  const attempts = useQuery(api.attempts.list.queryOptions({ input: { connectionId } }))

  const held = items.findLastIndex(({ id }) => !follow.isHeld(id)) + 1
  const shown = useMemo(() => (held === items.length ? items : items.slice(0, held)), [items, held])
  const rejections = useMemo(() => items.filter(isRejection), [items])
  const { byId, others } = useMemo(() => {
    const known = attempts.data?.attempts ?? noAttempts
    return {
      byId: new Map(known.map(attempt => [attempt.attemptId, attempt])),
      others: otherAttempts(rejections, known),
    }
  }, [rejections, attempts.data])
  useNewAttempts(rejections, byId, attempts)

  const wanted = useDeferredValue(text)
  const merged = useMemo(() => {
    const isWanted = (entry: Entry) => matches(entry, { text: wanted, eventName })
    return mergeEntries(shown.filter(isWanted), stored.entries, others.filter(isWanted), eventIdsOf(items))
  }, [shown, items, stored.entries, others, wanted, eventName])
  const entries = useMemo(
    () => (show === undefined ? merged : merged.filter(entry => isShown(entry, show))),
    [merged, show],
  )
  const counts = useMemo(() => countEntries(merged), [merged])
  const newer = items
    .slice(held)
    .filter(entry => isShown(entry, show) && matches(entry, { text: wanted, eventName })).length
  return {
    entries,
    counts,
    items,
    newer,
    follow,
    stored,
    /** Returns the request of a refusal, if it is still kept. */
    attemptOf(entry: Entry): Attempt | undefined {
      if (entry.type === 'attempt') return entry.attempt
      return entry.type === 'event.rejected' ? byId.get(entry.attemptId ?? '') : undefined
    },
    attemptsPending: attempts.isPending,
    /** Whether everything is loaded. */
    isKnown: live === 'live' && !stored.isPending && stored.error === null && attempts.data !== undefined,
  }
}

const isRejection = (entry: Entry): entry is Rejection => entry.type === 'event.rejected'

/** Refetches the attempts when the newest refused request is missing, throttled to once a second. */
function useNewAttempts(
  rejections: readonly Rejection[],
  byId: ReadonlyMap<string, Attempt>,
  { isFetching, refetch }: { readonly isFetching: boolean; readonly refetch: () => unknown },
) {
  const newest = useThrottledValue(rejections.at(-1)?.attemptId ?? undefined, attemptsEveryMs)
  const asked = useRef(newest)
  const isMissing = newest !== undefined && !byId.has(newest)
  useEffect(() => {
    if (!isMissing || isFetching || asked.current === newest) return
    asked.current = newest
    void refetch()
  }, [isMissing, isFetching, newest, refetch])
}
