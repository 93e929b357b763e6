import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import type { ConnectionWatchChange, WatchedConnection } from '#shared/model/alert.ts'
import { maxPage } from '#shared/model/page.ts'
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

/** Reads the same of many connections, by their ids. One that is not read yet is missing. */
export function useWatchedConnections(ids: readonly string[]): ReadonlyMap<string, WatchedConnection> {
  const parts = Array.from({ length: Math.ceil(ids.length / maxPage) }, (_, part) =>
    ids.slice(part * maxPage, (part + 1) * maxPage),
  )
  return useQueries({
    queries: parts.map(connectionIds =>
      api.alerts.watchedConnections.queryOptions({
        input: { connectionIds },
        refetchInterval: alertsEveryMs,
        placeholderData: keepPreviousData,
      }),
    ),
    combine: byId,
  })
}

const byId = (answers: readonly UseQueryResult<readonly WatchedConnection[]>[]) =>
  new Map(answers.flatMap(({ data = [] }) => data.map(one => [one.connectionId, one] as const)))

/** Reads what is measured again. */
export const readWatchAgain = (connectionId: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: api.alerts.connectionWatch.key({ input: { connectionId } }) }),
    queries.invalidateQueries({ queryKey: api.alerts.watchedConnections.key() }),
  ])

/** Saves thresholds of a connection. */
export function useChangeWatch(connectionId: string) {
  return useCommand(
    (change: ConnectionWatchChange) => client.alerts.changeConnectionWatch({ connectionId, ...change }),
    'The threshold was not saved',
    () => readWatchAgain(connectionId),
  )
}
