import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'

/** Returns whether this service keeps its data in a database, which others may use too. False while unknown. */
export function useHasNodes(): boolean {
  const { data } = useQuery(api.service.get.queryOptions())
  return data !== undefined && data.database !== null
}

/**
 * Reads the nodes on this database.
 *
 * @param everyMs reads them again so often. Without it, they are as new as the sidebar's.
 */
export const useNodes = (everyMs?: number) =>
  useQuery(api.service.nodes.queryOptions({ enabled: useHasNodes(), refetchInterval: everyMs ?? false }))

/**
 * Returns whether there are several nodes, each with an address and a process of its own. False while unknown. A container
 * that was replaced by one of another name leaves a lost node behind, which is none of them.
 */
export const useHasSeveralNodes = (): boolean =>
  (useNodes().data ?? []).filter(({ state }) => state !== 'lost').length > 1

/** Returns whether inbound URLs that start with this address reach one of several nodes only. False while unknown. */
export function useReachesOneNode(base: string | null): boolean {
  const { data } = useQuery(api.service.get.queryOptions())
  return useHasSeveralNodes() && data !== undefined && base === data.listener.url
}
