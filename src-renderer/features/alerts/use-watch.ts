import { useQuery } from '@tanstack/react-query'
import type { ConnectionWatchChange } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCommand } from '../../ui/use-command.ts'

/** Milliseconds between two reads: the service evaluates alerts as often. */
const everyMs = 15_000

/** Reads the thresholds of a connection, and what is measured. A connection that was deleted has none. */
export function useWatch(connectionId: string) {
  return useQuery(
    api.alerts.connectionWatch.queryOptions({
      input: { connectionId },
      retry: false,
      refetchInterval: everyMs,
    }),
  )
}

/** Reads what is measured again. */
export const readWatchAgain = (connectionId: string) =>
  queries.invalidateQueries({ queryKey: api.alerts.connectionWatch.key({ input: { connectionId } }) })

/** Saves thresholds of a connection. */
export function useChangeWatch(connectionId: string, done?: () => void) {
  return useCommand(
    (change: ConnectionWatchChange) => client.alerts.changeConnectionWatch({ connectionId, ...change }),
    'The threshold was not saved',
    async () => {
      await readWatchAgain(connectionId)
      done?.()
    },
  )
}
