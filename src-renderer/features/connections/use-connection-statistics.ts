import { useQuery } from '@tanstack/react-query'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { statisticsOf } from './statistics-of.ts'

/** What a connection did in the last 24 hours, as it happens; undefined until it is known. */
export function useConnectionStatistics(connectionId: string): ConnectionStatistics | undefined {
  const { data } = useQuery(api.statistics.list.queryOptions({ input: {} }))
  return statisticsOf(data, connectionId)
}
