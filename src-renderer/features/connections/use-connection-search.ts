import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConnectionState } from './connection-status.ts'
import { type ConnectionSort, filterConnections, sortConnections, steadyOrder } from './select-connections.ts'
import type { ConnectionRow } from './use-connections.ts'

/** What the list shows of the connections, as its address says, and what changes the address. */
export function useConnectionSearch(all: readonly ConnectionRow[], isPending: boolean) {
  const { filter = '', status, sort = 'last-event' } = useSearch({ from: '/connections' })
  const navigate = useNavigate({ from: '/connections' })
  const { order, sortAnew } = useSteadyOrder(all, sort, isPending)
  const byId = new Map(all.map(row => [row.connectionId, row]))
  const ordered = order.flatMap(id => byId.get(id) ?? [])
  const matching = filterConnections(ordered, filter)
  const change = (next: { filter?: string; status?: ConnectionState; sort?: ConnectionSort }) =>
    void navigate({ search: before => ({ ...before, ...next }), replace: true })
  return {
    filter,
    status,
    sort,
    /** Those that the filter leaves, of every status. */
    matching,
    rows: status === undefined ? matching : matching.filter(row => row.status.state === status),
    setFilter: (text: string) => change({ filter: text === '' ? undefined : text }),
    setStatus: (state: ConnectionState | undefined) => change({ status: state }),
    setSort(next: ConnectionSort) {
      sortAnew()
      change({ sort: next === 'last-event' ? undefined : next })
    },
    clear: () => change({ filter: undefined, status: undefined }),
  }
}

/** Names and dates of creation hardly change; the other orders would change with every event. */
function useSteadyOrder(all: readonly ConnectionRow[], sort: ConnectionSort, isPending: boolean) {
  const [kept, setKept] = useState<{ sort: ConnectionSort; order: readonly string[] } | null>(null)
  const sorted = sortConnections(all, sort).map(({ connectionId }) => connectionId)
  if (sort === 'name' || sort === 'created') return { order: sorted, sortAnew: () => setKept(null) }
  const order = steadyOrder(kept?.sort === sort ? kept.order : null, sorted)
  const isNew =
    kept?.sort !== sort || order.length !== kept.order.length || order.some((id, i) => id !== kept.order[i])
  if (!isPending && isNew) setKept({ sort, order })
  return { order, sortAnew: () => setKept(null) }
}
