import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { toastProblem } from '../../ui/toasts.tsx'

/** Changes a connection; what is shown changes at once and goes back if it fails. */
export function useUpdateConnection() {
  const queries = useQueryClient()
  return useMutation(
    api.connections.update.mutationOptions({
      onMutate({ connectionId, enabled }) {
        if (enabled === undefined) return
        queries.setQueryData(api.connections.list.queryKey({ input: {} }), rows =>
          rows?.map(row => (row.connectionId === connectionId ? { ...row, enabled } : row)),
        )
        queries.setQueryData(
          api.connections.get.queryKey({ input: { connectionId } }),
          connection => connection && { ...connection, enabled },
        )
      },
      onError: (error, change) =>
        toastProblem(
          change.enabled === undefined ? 'The change was not saved' : 'The connection could not be switched',
          error,
        ),
      onSettled: () => queries.invalidateQueries({ queryKey: api.connections.key() }),
    }),
  )
}
