import { notifyManager, QueryClient, type QueryFilters } from '@tanstack/react-query'
import type { Statistics } from '#shared/model/statistics.ts'
import { problemOf } from './problem.ts'

/** Everything is kept up to date by the live stream, so nothing is asked for again by the clock. */
export function createQueryClient(): QueryClient {
  // By default a button hears of the call that it began after a timer: a second press may come before.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        // Only what may pass by itself is worth another try.
        retry: (failures, error) => failures < 2 && problemOf(error).code === 'service_unreachable',
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}

/** Statistics with those of the connections that changed in place of their old ones. */
export function mergeStatistics(before: Statistics | undefined, change: Statistics): Statistics {
  if (before === undefined) return change
  const byId = new Map(before.connections.map(entry => [entry.connectionId, entry]))
  for (const entry of change.connections) byId.set(entry.connectionId, entry)
  return { since: change.since, connections: [...byId.values()] }
}

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
