import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'

/** Returns whether this service keeps its data in a database, which others may use too. False while unknown. */
export function useHasNodes(): boolean {
  const { data } = useQuery(api.service.get.queryOptions())
  return data !== undefined && data.database !== null
}

/** Reads the nodes on this database, again and again. */
export const useNodes = (everyMs: number) =>
  useQuery(api.service.nodes.queryOptions({ enabled: useHasNodes(), refetchInterval: everyMs }))
