import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { distinguishingField } from '../../entities/event/event-text.ts'
import type { StoredEntry } from './entry.ts'

/** Maximum number of events that the service returns at once. */
const pageSize = 200
const longestText = 200

type Page = { readonly entries: readonly StoredEntry[]; readonly nextBefore: string | null }

const first: string | undefined = undefined
const name = 'stored-events'

/**
 * Returns a connection's stored events, newest first, page by page. New events are not among them: the feed adds them.
 *
 * @param enabled false if the current filter shows no stored events.
 */
export function useStoredEvents(
  connectionId: string,
  filter: { readonly text: string; readonly eventName: string | undefined },
  enabled: boolean,
) {
  const text = filter.text.slice(0, longestText)
  const { eventName } = filter
  const { data, error, isFetching, isPending, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [name, connectionId, text, eventName],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const query = { ...(text === '' ? {} : { text }), eventName, before: pageParam, limit: pageSize }
      const page = await client.events.list({ connectionId, ...query }, { signal })
      return { entries: page.events.map(toEntry), nextBefore: page.nextBefore }
    },
    initialPageParam: first,
    getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
    // A changed setting must not reload hundreds of pages. Nothing is cached after leaving, since events that
    // arrive meanwhile would be missing.
    staleTime: 'static',
    gcTime: 0,
    enabled,
  })
  const entries = useMemo(() => (data === undefined ? [] : data.pages.flatMap(page => page.entries)), [data])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  return {
    entries,
    error,
    /** True until the first page is loaded. */
    isPending: enabled && isPending,
    isLoading: isFetching,
    loadMore,
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
  }
}

/** Returns functions that update the loaded events after a deletion, or reload them. */
export function storedEventsCache(connectionId: string) {
  const queryKey = [name, connectionId]
  return {
    forget: (eventId: string) =>
      queries.setQueriesData<InfiniteData<Page>>(
        { queryKey },
        data =>
          data && {
            ...data,
            pages: data.pages.map(page => ({
              ...page,
              entries: page.entries.filter(entry => entry.eventId !== eventId),
            })),
          },
      ),
    readAgain: () => queries.resetQueries({ queryKey }),
  }
}

function toEntry({ eventId, eventName, receivedAt, repeat, replayOf, dataText }: StoredEvent): StoredEntry {
  const field = distinguishingField(dataText)
  return { type: 'event.stored', eventId, eventName, at: receivedAt, repeat, replayOf, field }
}
