import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, client } from '../../client/client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** Has the service load the sample into the current workspace, and opens its connection. */
export function useLoadSample() {
  const { workspace } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => client.samples.load({ workspaceId: workspace?.workspaceId ?? null }),
    async onSuccess({ connectionId }) {
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      toastDone('The sample is ready', 'Send a test event with T, or test an action: its server answers.')
      void navigate({ to: '/connections/$connectionId', params: { connectionId } })
    },
    onError: error => toastProblem('The sample was not loaded', error),
  })
}
