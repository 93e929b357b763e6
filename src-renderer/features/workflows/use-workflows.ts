import { skipToken, useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** Returns the workflows of the current workspace, in the order of creation. */
export function useWorkflows() {
  const { workspace } = useWorkspace()
  return useQuery(
    api.workflows.list.queryOptions({
      input: workspace === null ? skipToken : { workspaceId: workspace.workspaceId },
    }),
  )
}
