import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { findWorkspace } from './workspaces.ts'

type Connections = Config['connections']

/** The places of the connections in their order of creation, which lists and their pages follow. */
export type ConnectionOrder = {
  readonly ids: readonly string[]
  /**
   * Returns the index in `ids` at which a list goes on after a connection, which may have been removed since; null for
   * one that is not known.
   */
  after(connectionId: string): number | null
}

const orders = new WeakMap<Connections, Ordered>()
type Ordered = ConnectionOrder & { readonly removed: Map<string, string | null> }
let latest: Ordered | null = null

/** The number of removed connections whose places are remembered, the last ones. */
const maxRemoved = 10_000

/** Returns the order of connections. The same object comes back while connections are neither added, removed nor moved. */
export function orderOf(connections: Connections): ConnectionOrder {
  const known = orders.get(connections)
  if (known !== undefined) return known
  const order = latest !== null && hasKeys(connections, latest.ids) ? latest : makeOrder(connections, latest)
  orders.set(connections, order)
  latest = order
  return order
}

function hasKeys(connections: Connections, ids: readonly string[]): boolean {
  if (connections.size !== ids.length) return false
  let index = 0
  for (const id of connections.keys()) if (ids[index++] !== id) return false
  return true
}

function makeOrder(connections: Connections, previous: Ordered | null): Ordered {
  const ids = [...connections.keys()]
  const places = new Map(ids.map((id, index) => [id, index]))
  /** Each removed connection with the one before it. A reader of pages goes on from there. */
  const removed = previous?.removed ?? new Map<string, string | null>()
  previous?.ids.forEach((id, index, all) => {
    if (!places.has(id)) removed.set(id, all[index - 1] ?? null)
  })
  for (const id of removed.keys()) {
    if (removed.size <= maxRemoved) break
    removed.delete(id)
  }
  return {
    ids,
    removed,
    after(connectionId) {
      let at: string | null = connectionId
      // In the order of an earlier configuration, those removed since could lead in a circle.
      for (let steps = 0; at !== null && steps <= removed.size; steps++) {
        const place = places.get(at)
        if (place !== undefined) return place + 1
        const before = removed.get(at)
        if (before === undefined) return null
        at = before
      }
      return at === null ? 0 : null
    },
  }
}

/** A part of a list: at most `limit` items, those after the item with the id `after`. Undefined means no bound. */
export type PageRequest = { readonly limit?: number | undefined; readonly after?: string | undefined }

/** Returns the error for an item that no list has had lately. */
export function unknownAfter(): ServiceError {
  const message = 'The list has no such item any more. Read it from its start, without `after`.'
  return new ServiceError('invalid_input', { data: { issues: [{ path: 'after', message }] } })
}

/**
 * Returns connections in the order of creation.
 *
 * @param workspaceId only this workspace; undefined for all. @param isWanted leaves out others.
 * @throws ServiceError `workspace_not_found`, `invalid_input` for an unknown `after`.
 */
export function listConnections(
  config: Config,
  workspaceId: string | undefined,
  { limit = Number.POSITIVE_INFINITY, after }: PageRequest = {},
  isWanted: (record: ConnectionRecord) => boolean = () => true,
): ConnectionRecord[] {
  if (workspaceId !== undefined) findWorkspace(config, workspaceId)
  const { connections } = config
  const order = orderOf(connections)
  const start = after === undefined ? 0 : order.after(after)
  if (start === null) throw unknownAfter()
  const found: ConnectionRecord[] = []
  for (let index = start; index < order.ids.length && found.length < limit; index++) {
    const record = connections.get(order.ids[index] ?? '')
    if (record === undefined || (workspaceId !== undefined && record.workspaceId !== workspaceId)) continue
    if (isWanted(record)) found.push(record)
  }
  return found
}
