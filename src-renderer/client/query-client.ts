import { notifyManager, QueryClient } from '@tanstack/react-query'
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
