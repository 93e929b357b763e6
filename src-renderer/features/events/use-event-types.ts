import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { EventType } from '#shared/model/event-type.ts'
import type { EventNameStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useConnectionStatistics } from '../../entities/connection/use-connections.ts'

export type DeclaredRow = {
  readonly type: EventType
  /** Null for no event in 24 hours, undefined while unknown. */
  readonly statistics: EventNameStatistics | null | undefined
}

/** Returns the declared event types, and received names that are not declared, with live counts. */
export function useEventTypes(connectionId: string) {
  const types = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const names = useQuery(api.statistics.eventNames.queryOptions({ input: { connectionId } }))
  const newest = useConnectionStatistics(connectionId)?.lastEvent?.eventId

  // biome-ignore lint/correctness/useExhaustiveDependencies: as often as another event is the newest
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: api.statistics.eventNames.key({ input: { connectionId } }) })
  }, [connectionId, newest, types.data])

  const byName = new Map(names.data?.map(entry => [entry.eventName, entry]))
  const declaredNames = new Set(types.data?.map(({ eventName }) => eventName))
  return {
    types: types.data,
    error: types.error,
    refetch: () => void types.refetch(),
    declared: (types.data ?? []).map(
      (type): DeclaredRow => ({
        type,
        statistics: names.data === undefined ? undefined : (byName.get(type.eventName) ?? null),
      }),
    ),
    /** Whether the counts are known. */
    isCounted: names.data !== undefined,
    received: (names.data ?? []).filter(({ eventName }) => !declaredNames.has(eventName)),
  }
}
