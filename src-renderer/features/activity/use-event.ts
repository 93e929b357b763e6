import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import type { LiveEvent } from './entry.ts'
import { mayBeStored, type ShownEvent, shownEvent } from './shown-event.ts'

/**
 * An event by its id: what the feed knows of it and, where it was stored, what the log does.
 *
 * @param live null where the feed does not have it.
 */
export function useEvent(
  connectionId: string,
  eventId: string,
  live: LiveEvent | null,
): { readonly event: ShownEvent | null; readonly isPending: boolean; readonly error: unknown } {
  const isAsked = mayBeStored(live)
  const { data, error, isPending } = useQuery(
    api.events.get.queryOptions({ input: { connectionId, eventId }, enabled: isAsked, gcTime: 60_000 }),
  )
  const isGone = error !== null && problemOf(error).code === 'event_not_found'
  const wasStored = isGone && live?.type !== 'event.replayed'
  return {
    event: shownEvent(live, isGone ? null : (data ?? null), wasStored),
    isPending: isAsked && isPending,
    error: isGone ? null : error,
  }
}
