import { useQuery } from '@tanstack/react-query'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'

/** What a connection did in the last 24 hours, as it happens; undefined until it is known. */
export function useConnectionStatistics(connectionId: string): ConnectionStatistics | undefined {
  const { data } = useQuery(api.statistics.list.queryOptions({ input: {} }))
  return data?.connections.find(entry => entry.connectionId === connectionId)
}
