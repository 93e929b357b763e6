import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, client } from '../../client/client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** Imports the sample document into the current workspace and opens the connection that comes of it. */
export function useLoadSample() {
  const { workspace } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => {
      const { default: text } = await import('../../../resources/samples/order-system.json?raw')
      return client.imports.apply({ text, workspaceId: workspace?.workspaceId ?? null })
    },
    async onSuccess({ connectionId }) {
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      toastDone('Sample loaded', 'Send a test event with T and watch it arrive.')
      void navigate({ to: '/connections/$connectionId', params: { connectionId } })
    },
    onError: error => toastProblem('The sample was not loaded', error),
  })
}
