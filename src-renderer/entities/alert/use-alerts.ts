import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspace/current-workspace.tsx'

/** Milliseconds between two reads: the service evaluates alerts as often. */
export const alertsEveryMs = 15_000

/** Reads the alerts of the current workspace, newest first. */
export function useAlerts(state: 'open' | 'closed') {
  const { workspace } = useWorkspace()
  return useQuery(
    api.alerts.list.queryOptions({
      input: { state, workspaceId: workspace?.workspaceId, limit: 200 },
      enabled: workspace !== null,
      refetchInterval: alertsEveryMs,
    }),
  )
}
