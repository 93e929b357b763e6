import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ConnectionChange } from '#shared/model/connection.ts'
import { api } from '../../client/client.ts'
import { toastProblem } from '../../ui/toasts.tsx'

type Switches = Pick<ConnectionChange, 'enabled' | 'persistEvents' | 'ignoreRepeats'>

/** Switches a connection, or one of its settings; what is shown changes at once and goes back if it fails. */
export function useUpdateConnection() {
  const queries = useQueryClient()
  return useMutation(
    api.connections.update.mutationOptions({
      onMutate({ connectionId, enabled, persistEvents, ignoreRepeats }) {
        const changed: Switches = {
          ...(enabled === undefined ? {} : { enabled }),
          ...(persistEvents === undefined ? {} : { persistEvents }),
        }
        queries.setQueryData(api.connections.list.queryKey({ input: {} }), rows =>
          rows?.map(row => (row.connectionId === connectionId ? { ...row, ...changed } : row)),
        )
        queries.setQueryData(
          api.connections.get.queryKey({ input: { connectionId } }),
          connection =>
            connection && {
              ...connection,
              ...changed,
              ...(ignoreRepeats === undefined ? {} : { ignoreRepeats }),
            },
        )
      },
      onError: (error, { enabled }) =>
        toastProblem(
          enabled === undefined ? 'The change was not saved' : 'The connection could not be switched',
          error,
        ),
      onSettled: () => queries.invalidateQueries({ queryKey: api.connections.key() }),
    }),
  )
}
