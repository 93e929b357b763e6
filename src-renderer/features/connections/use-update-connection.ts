import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Connection, ConnectionChange } from '#shared/model/connection.ts'
import { api } from '../../client/client.ts'
import { toastProblem } from '../../ui/toasts.tsx'

type Switches = Pick<ConnectionChange, 'enabled' | 'persistEvents' | 'ignoreRepeats'>

/**
 * Switches a connection, or one of its settings; what is shown changes at once and goes back if it fails.
 *
 * @param onSaved is told as soon as the service has answered, before anything is read again.
 */
export function useUpdateConnection(onSaved?: (saved: Connection) => void) {
  const queries = useQueryClient()
  return useMutation(
    api.connections.update.mutationOptions({
      onMutate({ connectionId, enabled, persistEvents, ignoreRepeats }) {
        const changed: Switches = {
          ...(enabled === undefined ? {} : { enabled }),
          ...(persistEvents === undefined ? {} : { persistEvents }),
        }
        const listKey = api.connections.list.queryKey({ input: {} })
        const key = api.connections.get.queryKey({ input: { connectionId } })
        const before = { list: queries.getQueryData(listKey), connection: queries.getQueryData(key) }
        queries.setQueryData(listKey, rows =>
          rows?.map(row => (row.connectionId === connectionId ? { ...row, ...changed } : row)),
        )
        queries.setQueryData(
          key,
          connection =>
            connection && {
              ...connection,
              ...changed,
              ...(ignoreRepeats === undefined ? {} : { ignoreRepeats }),
            },
        )
        // Without a service to ask anew, asking anew brings nothing back.
        return () => {
          queries.setQueryData(listKey, before.list)
          queries.setQueryData(key, before.connection)
        }
      },
      onSuccess: saved => onSaved?.(saved),
      onError(error, { enabled }, goBack) {
        goBack?.()
        toastProblem(
          enabled === undefined ? 'The change was not saved' : 'The connection could not be switched',
          error,
        )
      },
      onSettled: () => queries.invalidateQueries({ queryKey: api.connections.key() }),
    }),
  )
}
