import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatCount } from '../../ui/format.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import type { LiveEvent } from './entry.ts'
import { mayBeStored, type ShownEvent, shownEvent } from './shown-event.ts'
import { useStoredEventsCache } from './use-stored-events.ts'

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

/** What can be done with the events of a connection. */
export function useEventCommands(connectionId: string) {
  const queries = useQueryClient()
  const stored = useStoredEventsCache(connectionId)
  const replay = useMutation(
    api.events.replay.mutationOptions({
      onSuccess: () => toastDone('Replayed', 'Its trigger was raised again.'),
      onError: error => toastProblem('The event was not replayed', error),
    }),
  )
  const refreshOne = () => queries.invalidateQueries({ queryKey: api.events.get.key() })

  async function remove(eventId: string, onRemoved: () => void) {
    try {
      await client.events.remove({ connectionId, eventId })
      stored.forget(eventId)
      onRemoved()
      await refreshOne()
      toastDone('Event deleted')
    } catch (error) {
      toastProblem('The event was not deleted', error)
    }
  }
  async function clear() {
    try {
      const { deleted } = await client.events.clear({ connectionId })
      await Promise.all([stored.readAgain(), refreshOne()])
      toastDone(`${formatCount(deleted, 'stored event')} deleted`)
    } catch (error) {
      toastProblem('The stored events were not deleted', error)
    }
  }
  return {
    isReplaying: replay.isPending,
    replay: (eventId: string) => replay.mutate({ connectionId, eventId }),
    /** Asks first: it cannot be undone. */
    remove(eventId: string, eventName: string, onRemoved: () => void) {
      confirmDialog({
        title: `Delete this ${eventName}?`,
        children:
          'It goes from the log and can no longer be replayed. What the activity has of it in memory stays until newer activity takes its place. This cannot be undone.',
        confirm: 'Delete event',
        onConfirm: () => void remove(eventId, onRemoved),
      })
    },
    clear() {
      confirmDialog({
        title: 'Delete all stored events?',
        children:
          'Every event that this connection has logged goes, and none can be replayed. What is in memory stays until newer activity takes its place. This cannot be undone.',
        confirm: 'Delete all stored events',
        onConfirm: () => void clear(),
      })
    },
    copy: (text: string, done: string) => copyWithToast(text, 'Text', undefined, done),
  }
}
