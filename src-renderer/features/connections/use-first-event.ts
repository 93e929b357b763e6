import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'

/** The items that a new connection does not have yet: accepted events and calls. */
const used = 'event.accepted,event.repeated,event.replayed,call.finished'

/** Whether a connection has ever had an event, while its overview is open. */
export type FirstEvent =
  | { readonly state: 'unknown' | 'past' }
  /** @param since when the overview was opened, in milliseconds since 1970. */
  | { readonly state: 'awaited'; readonly since: number }
  | { readonly state: 'arrived'; readonly since: number; readonly eventId: string }

/**
 * Follows a new connection until its first event has arrived, and keeps that event while the overview stays open.
 *
 * @param statistics undefined while unknown.
 * @returns the state, and a function that ends it: the overview is then as of any other connection.
 */
export function useFirstEvent(
  connectionId: string,
  statistics: Pick<ConnectionStatistics, 'lastEvent'> | undefined,
): { readonly first: FirstEvent; readonly finish: () => void } {
  const [first, setFirst] = useState<FirstEvent>({ state: 'unknown' })
  const newest = statistics?.lastEvent?.eventId
  // The statistics are those of one day, and one that is called may never send an event.
  const earlier = useQuery(
    api.activity.list.queryOptions({
      input: { connectionId, kinds: used, limit: 1 },
      enabled: first.state === 'unknown' && statistics !== undefined && newest === undefined,
    }),
  )
  if (first.state === 'unknown' && statistics !== undefined) {
    const isUsed = newest !== undefined || (earlier.data?.items.length ?? 0) > 0
    if (isUsed || earlier.isError) setFirst({ state: 'past' })
    else if (earlier.data !== undefined) setFirst({ state: 'awaited', since: Date.now() })
  }
  if (first.state === 'awaited' && newest !== undefined)
    setFirst({ ...first, state: 'arrived', eventId: newest })
  return { first, finish: () => setFirst({ state: 'past' }) }
}
