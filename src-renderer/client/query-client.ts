import { notifyManager, QueryClient, type QueryFilters } from '@tanstack/react-query'
import type { Statistics } from '#shared/model/statistics.ts'
import { problemOf } from './problem.ts'

/** Creates a cache without refetching by time: the live stream keeps everything up to date. */
export function createQueryClient(): QueryClient {
  // The default scheduler waits for a timer, and a button could be pressed twice before it shows its call.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        // Only temporary errors are retried.
        retry: (failures, error) => failures < 2 && problemOf(error).code === 'service_unreachable',
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}

/** Returns the statistics with those of the changed connections replaced. */
export function mergeStatistics(before: Statistics | undefined, change: Statistics): Statistics {
  if (before === undefined) return change
  const byId = new Map(before.connections.map(entry => [entry.connectionId, entry]))
  for (const entry of change.connections) byId.set(entry.connectionId, entry)
  return { since: change.since, connections: [...byId.values()] }
}

/**
 * Invalidates queries, including those whose first fetch is in flight: the answer may be older than the change, and
 * the cache does not refetch them by itself, so they are invalidated again when they are done.
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
