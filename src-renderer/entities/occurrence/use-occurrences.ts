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
import { withNewest, withOlder } from './pages.ts'

/** Which occurrences a list shows. */
export type OccurrenceFilter = z.input<typeof OccurrenceSelection>

type Reading = OccurrenceFilter & { readonly before?: string | undefined; readonly limit?: number }

const eventTypes: readonly OccurrenceType[] = ['event.accepted', 'event.repeated', 'event.replayed']
/** The `kinds` of events. */
export const eventKinds = eventTypes.join()

/** Maximum number of items that the service returns at once. */
const pageSize = 200
/** Milliseconds in which a search reads on until it has all that it shows. */
const searchMs = 1000
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
    enabled: ({ state }) => !isHeld || state.data === undefined,
    placeholderData: keepPreviousData,
    // There may be a hundred thousand items to compare.
    structuralSharing: false,
    gcTime: 0,
  })
  const reading = useRef<AbortController>(null)
  const older = useMutation({
    mutationFn: async (before: string) => {
      const page = await readOccurrences({ ...filter, before }, reading.current?.signal)
      queries.setQueryData(queryKey, held => held && withOlder(held, before, page))
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
    }
  }, [hashKey(queryKey), reset])
  const nextBefore = isPlaceholderData ? null : (data?.nextBefore ?? null)
  // Otherwise it is about what was held before.
  const isOfThis = older.variables === nextBefore
  const canLoad = !(isOfThis && older.isPending)
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
    olderError: isOfThis ? older.error : null,
    loadOlder: useCallback(() => {
      if (canLoad && nextBefore !== null) loadOlder(nextBefore)
    }, [canLoad, nextBefore, loadOlder]),
  }
}

/** Returns the newest occurrences that a search finds; none for null. */
export function useFoundOccurrences(search: (OccurrenceFilter & { readonly limit: number }) | null) {
  const { data, isFetching } = useQuery({
    // Not that of a list, which is read again whenever something happens.
    queryKey: ['found', search],
    queryFn: search === null ? skipToken : ({ signal }) => readOccurrences(search, signal, searchMs),
    gcTime: 0,
  })
  return { items: data?.items ?? none, isFetching }
}

/**
 * Reads a page that is not empty, or the end. A search checks only so much at once.
 *
 * @param fillMs how long to read on until the page is full, in milliseconds.
 */
export async function readOccurrences(
  reading: Reading,
  signal?: AbortSignal,
  fillMs = 0,
): Promise<OccurrencePage> {
  const { limit = pageSize } = reading
  const until = performance.now() + fillMs
  const items: ListedOccurrence[] = []
  let { before } = reading
  let damaged = 0
  for (;;) {
    const input = { ...reading, limit: limit - items.length, before }
    const page = await client.activity.list(input, { signal })
    items.push(...page.items)
    damaged += page.damaged ?? 0
    const isEnough = items.length === limit || (items.length > 0 && performance.now() >= until)
    if (isEnough || page.nextBefore === null) return { ...page, items, damaged }
    before = page.nextBefore
  }
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
