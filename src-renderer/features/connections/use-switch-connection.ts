import { useQueryClient } from '@tanstack/react-query'
import { api, client } from '../../client/client.ts'
import { useUndo } from '../../ui/undo.tsx'
import { useUpdateConnection } from './use-update-connection.ts'

/** Enables or disables a connection, says what that means for its senders, and offers to undo it. */
export function useSwitchConnection() {
  const queries = useQueryClient()
  const offerUndo = useUndo()
  const { mutate } = useUpdateConnection(({ connectionId, name, enabled }) =>
    offerUndo({
      of: connectionId,
      done: outcome(name, enabled),
      undone: outcome(name, !enabled),
      async undo() {
        await client.connections.update({ connectionId, enabled: !enabled })
        await queries.invalidateQueries({ queryKey: api.connections.key() })
      },
    }),
  )
  return (connectionId: string, enabled: boolean) => mutate({ connectionId, enabled })
}

const outcome = (name: string, enabled: boolean) =>
  enabled ? `${name} enabled. It accepts events.` : `${name} disabled. Senders get 403.`
