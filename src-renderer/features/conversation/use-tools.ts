import { useQuery } from '@tanstack/react-query'
import type { Tool } from '#shared/model/tool.ts'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'

/** Returns the tools of the current workspace; undefined until they are known. */
export function useTools(): readonly Tool[] | undefined {
  const { workspace } = useWorkspace()
  const { data } = useQuery(
    api.tools.list.queryOptions({
      input: { workspaceId: workspace?.workspaceId },
      enabled: workspace !== null,
    }),
  )
  return data
}
