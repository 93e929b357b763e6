import { findConnection, listConnections } from '#main/connections/connections.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function statistics(os: Base, { store, statistics: counts }: RpcParts) {
  return os.statistics.router({
    list: os.statistics.list.handler(({ input }) => ({
      since: counts.since(),
      connections: listConnections(store.snapshot(), input.workspaceId).map(({ connectionId }) =>
        counts.of(connectionId),
      ),
    })),
    eventNames: os.statistics.eventNames.handler(({ input }) => {
      const { connectionId, eventTypes } = findConnection(store.snapshot(), input.connectionId)
      return counts.eventNamesOf(
        connectionId,
        eventTypes.map(({ eventName }) => eventName),
      )
    }),
  })
}
