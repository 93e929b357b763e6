import { hashKey, keepPreviousData, skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import type { z } from 'zod'
import type {
  ListedOccurrence,
  OccurrencePage,
  OccurrenceSelection,
  OccurrenceType,
} from '#shared/model/activity.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { type HeldOccurrences, withNewest, withOlder, withoutOldest } from './pages.ts'

/** Which occurrences a list shows. */
export type OccurrenceFilter = z.input<typeof OccurrenceSelection>

type Reading = OccurrenceFilter & { readonly before?: string | undefined; readonly limit?: number }

const eventTypes: readonly OccurrenceType[] = ['event.accepted', 'event.repeated', 'event.replayed']
/** The `kinds` of events. */
export const eventKinds = eventTypes.join()

/** Maximum number of items that the service returns at once. */
const pageSize = 200
const none: readonly ListedOccurrence[] = []

/**
 * Returns a list of what happened, newest first. The live stream keeps its newest page up to date; older ones are read
 * when they are asked for, and once.
 *
 * @param isHeld keeps the list as it is.
 */
export function useOccurrences(filter: OccurrenceFilter, isHeld = false) {
  const options = api.activity.list.queryOptions({ input: filter })
  const { queryKey } = options
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...options,
    queryFn: async ({ signal }) => {
      const newest = await readOccurrences(filter, signal)
      return withNewest(queries.getQueryData(queryKey), newest)
    },
    // The newest page would replace what an open search has looked at.
    enabled: ({ state: { data } }) => data === undefined || !(isHeld || isOpenSearch(data)),
    placeholderData: keepPreviousData,
    // There may be a hundred thousand items to compare.
    structuralSharing: false,
  })
  const reading = useRef<AbortController>(null)
  const isStopped = useRef(false)
  const older = useMutation({
    mutationFn: async ({ before, goesOn }: { readonly before: string; readonly goesOn: boolean }) => {
      const signal = reading.current?.signal
      isStopped.current = false
      for (let next: string | null = before; next !== null && !isStopped.current; ) {
        const start: string = next
        const page = await readOccurrences({ ...filter, before: start }, signal)
        queries.setQueryData(queryKey, held => held && withOlder(held, start, page))
        if (!goesOn || page.items.length > 0) return
        next = page.nextBefore
      }
    },
  })
  const { mutate: loadOlder, reset } = older
  // A search for a rare text would read on to the end of what is kept.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each filter
  useEffect(() => {
    const stop = new AbortController()
    reading.current = stop
    return () => {
      reset()
      stop.abort()
      // Its newest page is there when the screen is opened again, also while the service does not answer.
      queries.setQueryData<HeldOccurrences>(queryKey, held => held && withoutOldest(held, pageSize))
    }
  }, [hashKey(queryKey), reset])
  const nextBefore = isPlaceholderData ? null : (data?.nextBefore ?? null)
  const canLoad = !older.isPending
  const searched = isPlaceholderData ? undefined : data?.searched
  const loadOlderOnce = useCallback(
    (goesOn: boolean) => {
      if (canLoad && nextBefore !== null) loadOlder({ before: nextBefore, goesOn })
    },
    [canLoad, nextBefore, loadOlder],
  )
  return {
    items: data?.items ?? none,
    /** Why nothing older follows; null before the end. */
    end: data?.end ?? null,
    /** How many events between the items cannot be read. */
    damaged: data?.damaged ?? 0,
    /** Whether the items are those of the filter. */
    isKnown: data !== undefined && !isPlaceholderData,
    error,
    /** Reads the newest page, also of a list that is held. */
    refetch: () => void refetch(),
    isLoadingOlder: !canLoad,
    olderError: older.error,
    loadOlder: useCallback(() => loadOlderOnce(false), [loadOlderOnce]),
    /** Null unless the list has ended early. */
    search:
      searched === undefined || nextBefore === null
        ? null
        : {
            searched,
            isSearching: older.isPending && older.variables.goesOn,
            searchOlder: () => loadOlderOnce(true),
            stop: () => {
              isStopped.current = true
            },
          },
  }
}

/** Whether a list has found nothing yet, and has looked further back than its newest page. */
function isOpenSearch({ items, isDeep, nextBefore }: HeldOccurrences): boolean {
  return items.length === 0 && isDeep === true && nextBefore !== null
}

/**
 * Returns the newest occurrences that a search finds; none for null. It goes on to older ones until it has found some or
 * has reached the end, and stops when it is for another text.
 */
export function useFoundOccurrences(search: (OccurrenceFilter & { readonly limit: number }) | null) {
  // Not that of a list, which is read again whenever something happens.
  const queryKey = ['found', search]
  const { data, isFetching } = useQuery({
    queryKey,
    queryFn: search === null ? skipToken : ({ signal }) => searchBack(search, queryKey, signal),
    structuralSharing: false,
    gcTime: 0,
  })
  return { items: data?.items ?? none, searched: data?.searched ?? null, isFetching }
}

/** Searches page by page, and has the cache show how far it is. */
async function searchBack(
  search: OccurrenceFilter & { readonly limit: number },
  queryKey: readonly unknown[],
  signal: AbortSignal,
): Promise<HeldOccurrences> {
  let held: HeldOccurrences = await readOccurrences(search, signal)
  while (held.items.length === 0 && held.nextBefore !== null) {
    queries.setQueryData(queryKey, held)
    const before = held.nextBefore
    held = withOlder(held, before, await readOccurrences({ ...search, before }, signal))
  }
  return held
}

/** Reads a page. A search looks only so far at once, so that it may be empty before the end. */
export function readOccurrences(reading: Reading, signal?: AbortSignal): Promise<OccurrencePage> {
  return client.activity.list({ limit: pageSize, ...reading }, { signal })
}

/** Removes a deleted item from all lists. */
export function forgetOccurrence(itemId: string): void {
  queries.setQueriesData<OccurrencePage>(
    { queryKey: api.activity.list.key() },
    held => held && { ...held, items: held.items.filter(({ id }) => id !== itemId) },
  )
}

/** Reads all lists again from their newest page. */
export function resetOccurrences(): Promise<void> {
  return queries.resetQueries({ queryKey: api.activity.list.key() })
}

/** Returns the id of an item in the id of an event, a refused request or a call. */
export function itemIdOf(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1)
}
