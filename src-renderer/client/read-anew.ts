import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Has what is shown read anew, since it changed. A first read that is still under way may have been answered
 * before the change, and telling the cache is not enough for it: it is read once more when it is done.
 */
export async function readAnew(queries: QueryClient, filters: QueryFilters = {}): Promise<void> {
  const underWay = queries
    .getQueryCache()
    .findAll(filters)
    .filter(({ state }) => state.fetchStatus !== 'idle' && state.data === undefined)
  await queries.invalidateQueries(filters)
  await Promise.all(underWay.map(({ queryKey }) => queries.invalidateQueries({ queryKey, exact: true })))
}
