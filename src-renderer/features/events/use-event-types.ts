import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { EventType } from '#shared/model/event-type.ts'
import type { EventNameStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { useConnectionStatistics } from '../connections/use-connections.ts'

export type DeclaredRow = {
  readonly type: EventType
  /** Null for none within 24 hours, undefined until it is known. */
  readonly statistics: EventNameStatistics | null | undefined
}

/** Declared event types, and the names that came without being declared; counts follow what arrives. */
export function useEventTypes(connectionId: string) {
  const queries = useQueryClient()
  const types = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const names = useQuery(api.statistics.eventNames.queryOptions({ input: { connectionId } }))
  const newest = useConnectionStatistics(connectionId)?.lastEvent?.eventId

  // biome-ignore lint/correctness/useExhaustiveDependencies: as often as another event is the newest
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: api.statistics.eventNames.key({ input: { connectionId } }) })
  }, [queries, connectionId, newest, types.data])

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
    /** Whether it is known what came. */
    isCounted: names.data !== undefined,
    received: (names.data ?? []).filter(({ eventName, count }) => count > 0 && !declaredNames.has(eventName)),
  }
}
