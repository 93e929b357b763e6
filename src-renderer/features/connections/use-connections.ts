import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { z } from 'zod'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { type ConnectionStatus, connectionStatus, statisticsOf } from './connection-status.ts'

export type ConnectionRow = ConnectionSummary & {
  readonly statistics: ConnectionStatistics | undefined
  readonly status: ConnectionStatus
}

/** The connections of the current workspace with what they are doing, in the order of creation. */
export function useConnections(): {
  readonly rows: readonly ConnectionRow[]
  readonly error: unknown
  /** Until the connections are known, and what they are doing, unless that cannot be had. */
  readonly isPending: boolean
  /** Whether the connections are known; what they are doing may not be. */
  readonly isKnown: boolean
  readonly refetch: () => void
} {
  const { workspace } = useWorkspace()
  const connections = useQuery(api.connections.list.queryOptions({ input: {} }))
  const statistics = useQuery(api.statistics.list.queryOptions({ input: {} }))
  const workspaceId = workspace?.workspaceId
  const rows = useMemo(() => {
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
    isPending: connections.isPending || statistics.isPending || workspace === null,
    isKnown: connections.data !== undefined && workspace !== null,
    refetch: () => void connections.refetch(),
  }
}

/** What a connection did in the last 24 hours, as it happens; undefined until it is known. */
export function useConnectionStatistics(connectionId: string): ConnectionStatistics | undefined {
  const { data } = useQuery(api.statistics.list.queryOptions({ input: {} }))
  return statisticsOf(data, connectionId)
}

const maxRecent = 5
const Kept = z.array(z.string())
const none: string[] = []

/** Ids of the connections opened last, newest first, as this browser remembers them. */
export function useRecentConnections(): readonly [readonly string[], (connectionId: string) => void] {
  const [recent, keep] = useLocalStorage('recent', Kept, none)
  const open = (connectionId: string) => {
    if (recent[0] === connectionId) return
    keep([connectionId, ...recent.filter(id => id !== connectionId)].slice(0, maxRecent))
  }
  return [recent, open]
}
