import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Invalidates queries, also those whose first fetch is in flight: it may have been answered
 * before the change, and telling the cache is not enough for it: it is read once more when it is done.
 */
export async function invalidateIncludingPending(
  queries: QueryClient,
  filters: QueryFilters = {},
): Promise<void> {
  const inFlight = queries
    .getQueryCache()
    .findAll(filters)
    .filter(({ state }) => state.fetchStatus !== 'idle' && state.data === undefined)
  await queries.invalidateQueries(filters)
  await Promise.all(inFlight.map(({ queryKey }) => queries.invalidateQueries({ queryKey, exact: true })))
}
