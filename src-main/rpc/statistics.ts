import { listConnections } from '#main/connections/connection-order.ts'
import { findConnection } from '#main/connections/connections.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { answerOf, momentOfHour, rangeOf } from '#main/history/statistics/hour-answer.ts'
import type { Handlers, RpcParts } from './context.ts'

export function statistics(parts: RpcParts): Handlers['statistics'] {
  const { store, statistics: counts, hourlyCounts, edges, clock } = parts

  /** Returns the row of counts that is asked for. */
  function rowOf(connectionId: string | undefined, workspaceId: string | undefined): string {
    if (connectionId !== undefined) return findConnection(store.snapshot(), connectionId).connectionId
    return workspaceId === undefined ? '' : findWorkspace(store.snapshot(), workspaceId).workspaceId
  }

  return {
    list: ({ input: { workspaceId, ...page } }) => ({
      since: counts.since(),
      connections: listConnections(store.snapshot(), workspaceId, page).map(({ connectionId }) =>
        counts.of(connectionId),
      ),
    }),
    async hours({ input: { connectionId, workspaceId, by, ...range } }) {
      const of = rowOf(connectionId, workspaceId)
      const hours = await hourlyCounts.read(of, rangeOf(range, clock()))
      return { hours: answerOf(hours, by), keptFrom: momentOfHour(await hourlyCounts.keptFrom()) }
    },
    edges({ input: { connectionId, workspaceId, since } }) {
      const config = store.snapshot()
      const range = rangeOf({ since }, clock())
      if (connectionId !== undefined)
        return edges.read([findConnection(config, connectionId).connectionId], range)
      const ids = listConnections(config, workspaceId).map(connection => connection.connectionId)
      return edges.read(ids, range)
    },
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
