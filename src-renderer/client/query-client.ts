import { notifyManager, QueryClient } from '@tanstack/react-query'
import { problemOf } from '../ui/problem.ts'

/** A cache that also refetches the queries whose first fetch is in flight: its result may be older than the change. */
class CurrentQueryClient extends QueryClient {
  override async invalidateQueries(...args: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    const [filters = {}] = args
    if (filters.refetchType === 'none') return super.invalidateQueries(...args)
    const inFlight = this.getQueryCache()
      .findAll(filters)
      .filter(({ state }) => state.fetchStatus !== 'idle' && state.data === undefined)
    await super.invalidateQueries(...args)
    // The library only waits for a first fetch, and would then take its result for current.
    await Promise.all(inFlight.map(({ queryKey }) => super.invalidateQueries({ queryKey, exact: true })))
  }
}

/** Creates a cache without refetching by time: the live stream keeps everything up to date. */
export function createQueryClient(): QueryClient {
  // The default scheduler waits for a timer, and a button could be pressed twice before it shows its call.
  notifyManager.setScheduler(queueMicrotask)
  return new CurrentQueryClient({
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

/** The page's cache. What is under `session` is kept until the page is left. */
export const queries = createQueryClient()
queries.setQueryDefaults(['session'], { gcTime: Number.POSITIVE_INFINITY })

/**
 * Returns a function that starts a refetch, or repeats it once when the running one has ended. So frequent changes never
 * cancel each other's fetches, and the last one is always seen.
 */
export function oneAtATime(refetch: () => Promise<void>): () => void {
  let isRunning = false
  let isAsked = false
  return async () => {
    isAsked = true
    if (isRunning) return
    isRunning = true
    while (isAsked) {
      isAsked = false
      await refetch()
    }
    isRunning = false
  }
}
