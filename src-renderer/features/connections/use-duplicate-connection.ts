import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, client } from '../../client/client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { copyName } from './copy-name.ts'

/** Makes another connection with the same actions and event types, its own URL and secret, and opens it. */
export function useDuplicateConnection() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ connectionId }: { readonly connectionId: string }) => {
      const [document, connections] = await Promise.all([
        client.imports.export({ connectionId }),
        client.connections.list({}),
      ])
      const { workspaceId } = connections.find(other => other.connectionId === connectionId) ?? {}
      const name = copyName(
        document.connection.name,
        connections.map(other => other.name),
      )
      const text = JSON.stringify({ ...document, connection: { ...document.connection, name } })
      const made = await client.imports.apply({ text, workspaceId })
      return { name, connectionId: made.connectionId }
    },
    async onSuccess({ name, connectionId }) {
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      toastDone(`Connection “${name}” created`, 'It has a URL and a secret of its own.')
      void navigate({ to: '/connections/$connectionId', params: { connectionId } })
    },
    onError: error => toastProblem('The connection was not duplicated', error),
  })
}
