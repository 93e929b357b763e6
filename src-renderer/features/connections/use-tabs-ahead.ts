import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { api } from '../../client/client.ts'

/** Loads a connection's other tabs, and its actions, while nothing else is to be done: they open at once then. */
export function useTabsAhead(connectionId: string): void {
  const router = useRouter()
  const queries = useQueryClient()
  useEffect(() => {
    const params = { connectionId }
    function load() {
      void queries.prefetchQuery(api.actions.list.queryOptions({ input: params }))
      for (const tab of ['actions', 'events', 'activity'] as const)
        void router.preloadRoute({ to: `/connections/$connectionId/${tab}`, params })
    }
    // Not every browser tells when it is idle.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(load, 200)
      return () => clearTimeout(timer)
    }
    const idle = window.requestIdleCallback(load)
    return () => window.cancelIdleCallback(idle)
  }, [router, queries, connectionId])
}
