import { listConnections } from '#main/connections/connection-order.ts'
import { findConnection } from '#main/connections/connections.ts'
import type { Handlers, RpcParts } from './context.ts'

export function statistics({ store, statistics: counts }: RpcParts): Handlers['statistics'] {
  return {
    list: ({ input: { workspaceId, ...page } }) => ({
      since: counts.since(),
      connections: listConnections(store.snapshot(), workspaceId, page).map(({ connectionId }) =>
        counts.of(connectionId),
      ),
    }),
    get: ({ input }) => counts.of(findConnection(store.snapshot(), input.connectionId).connectionId),
    eventNames: ({ input }) => {
      const { connectionId, eventTypes } = findConnection(store.snapshot(), input.connectionId)
      return counts.eventNamesOf(
        connectionId,
        eventTypes.map(({ eventName }) => eventName),
      )
    },
  }
}
