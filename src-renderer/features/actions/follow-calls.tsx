import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../client/client.ts'
import { useActivity } from '../../client/live-provider.tsx'

/** Has the tests asked for anew whenever a call of the connection has ended, whoever made it. */
export function FollowCalls({ connectionId }: { readonly connectionId: string }) {
  const queries = useQueryClient()
  const { items } = useActivity(connectionId)
  const newest = items.findLast(({ type }) => type === 'call.finished')?.id
  useEffect(() => {
    if (newest === undefined) return
    void queries.invalidateQueries({ queryKey: api.actions.lastTests.key() })
    void queries.invalidateQueries({ queryKey: api.actions.tests.key() })
  }, [queries, newest])
  return null
}
