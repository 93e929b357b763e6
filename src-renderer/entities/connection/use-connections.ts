import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { z } from 'zod'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import { useWorkspace } from '../workspace/current-workspace.tsx'
import { type ConnectionStatus, connectionStatus, statisticsOf } from './connection-status.ts'

export type ConnectionRow = ConnectionSummary & {
  readonly statistics: ConnectionStatistics | undefined
  readonly status: ConnectionStatus
}

/** Returns the connections of the current workspace with their status, in the order of creation. */
export function useConnections() {
  const { workspace } = useWorkspace()
  const connections = useQuery(api.connections.list.queryOptions({ input: {} }))
  const statistics = useQuery(api.statistics.list.queryOptions({ input: {} }))
  const workspaceId = workspace?.workspaceId
  const rows: readonly ConnectionRow[] = useMemo(() => {
    return (connections.data ?? [])
      .filter(connection => connection.workspaceId === workspaceId)
      .map(connection => {
        const entry = statisticsOf(statistics.data, connection.connectionId)
        return { ...connection, statistics: entry, status: connectionStatus(connection, entry) }
      })
  }, [connections.data, statistics.data, workspaceId])
  return {
    rows,
    error: connections.error,
    /** Whether the connections or their statistics are still being read. */
    isPending: connections.isPending || statistics.isPending || workspace === null,
    /** Whether the connections are known. Their statistics may not be. */
    isKnown: connections.data !== undefined && workspace !== null,
    refetch: () => void connections.refetch(),
  }
}

/** Returns what a connection did in the last 24 hours, live. Undefined while unknown. */
export function useConnectionStatistics(connectionId: string): ConnectionStatistics | undefined {
  const { data } = useQuery(api.statistics.list.queryOptions({ input: {} }))
  return statisticsOf(data, connectionId)
}

const maxRecent = 5
const Kept = z.array(z.string())
const none: string[] = []

/** Returns the ids of the connections opened last in this browser, newest first, and a function that adds one. */
export function useRecentConnections(): readonly [readonly string[], (connectionId: string) => void] {
  const [recent, keep] = useLocalStorage('recent', Kept, none)
  const open = (connectionId: string) => {
    if (recent[0] === connectionId) return
    keep([connectionId, ...recent.filter(id => id !== connectionId)].slice(0, maxRecent))
  }
  return [recent, open]
}
