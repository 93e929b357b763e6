import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../../client/client.ts'
import { useOccurrences } from '../../../entities/occurrence/use-occurrences.ts'
import { useFollow } from '../../../ui/use-follow.ts'
import { arrivalKinds, isArrival, isEvent } from './activation-words.ts'

/** Returns how far the saved sender of a connection is with its questions. @param isAsked whether it has any. */
export function useActivation(connectionId: string, isAsked: boolean) {
  return useQuery({
    ...api.connections.senderActivation.queryOptions({ input: { connectionId } }),
    enabled: isAsked,
    refetchInterval: ({ state }) => (state.data?.state === 'verified' ? false : 2000),
  })
}

/** Returns the requests that arrived at a connection, newest first. While they are held, newer ones are only counted. */
export function useArrivals(connectionId: string) {
  const follow = useFollow()
  const { isHeldBack } = follow
  const filter = { connectionId, kinds: arrivalKinds }
  const list = useOccurrences(filter, isHeldBack)
  const items = useMemo(() => list.items.filter(isArrival), [list.items])
  const newer = useQuery(
    api.activity.counts.queryOptions({
      input: { ...filter, after: items[0]?.id },
      enabled: isHeldBack && list.isKnown,
    }),
  )
  return { ...list, items, follow, newer: isHeldBack ? (newer.data?.total ?? 0) : 0 }
}

export type Arrivals = ReturnType<typeof useArrivals>

/** Returns the first event since a question was answered; null if none came, or the list does not reach back to it. */
export function firstEventSince({ items, end }: Pick<Arrivals, 'items' | 'end'>, answeredAt: string) {
  const since = items.filter(({ at }) => at >= answeredAt)
  const isWhole = end !== null || since.length < items.length
  return isWhole ? (since.findLast(isEvent) ?? null) : null
}
