import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** What inbound URLs of a workspace begin with, as they are shown; null until that is known. */
export function useInboundBase(workspaceId: string): string | null {
  const { workspaces } = useWorkspace()
  const { data: service } = useQuery(api.service.get.queryOptions())
  const workspace = workspaces.find(one => one.workspaceId === workspaceId)
  if (workspace === undefined || service === undefined) return null
  return workspace.publicBaseUrl ?? service.publicUrl
}
