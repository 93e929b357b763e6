import { useQuery } from '@tanstack/react-query'
import type { ConnectionWatchChange } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { alertsEveryMs } from '../../entities/alert/use-alerts.ts'
import { useCommand } from '../../ui/use-command.ts'

/** Reads the thresholds of a connection, and what is measured. A connection that was deleted has none. */
export function useWatch(connectionId: string) {
  return useQuery(
    api.alerts.connectionWatch.queryOptions({
      input: { connectionId },
      retry: false,
      refetchInterval: alertsEveryMs,
    }),
  )
}

/** Reads what is measured again. */
export const readWatchAgain = (connectionId: string) =>
  queries.invalidateQueries({ queryKey: api.alerts.connectionWatch.key({ input: { connectionId } }) })

/** Saves thresholds of a connection. */
export function useChangeWatch(connectionId: string) {
  return useCommand(
    (change: ConnectionWatchChange) => client.alerts.changeConnectionWatch({ connectionId, ...change }),
    'The threshold was not saved',
    () => readWatchAgain(connectionId),
  )
}
