import { useQuery } from '@tanstack/react-query'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { problemOf } from '../../ui/problem.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import type { LiveEvent } from './entry.ts'
import { mayBeStored, type ShownEvent, shownEvent } from './shown-event.ts'
import { storedEventsCache } from './use-stored-events.ts'

/**
 * Returns an event by its id, from the feed and, if it was stored, from the log.
 *
 * @param live null if the feed does not have it.
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

/** Returns the actions on a connection's events. */
export function useEventCommands(connectionId: string) {
  const stored = storedEventsCache(connectionId)
  const replay = useCommand(client.events.replay, 'The event was not replayed', () =>
    toastDone('Event replayed', 'Its trigger was raised again.'),
  )
  const refreshOne = () => queries.invalidateQueries({ queryKey: api.events.get.key() })

  async function remove(eventId: string, onRemoved: () => void): Promise<void> {
    await client.events.remove({ connectionId, eventId })
    stored.forget(eventId)
    onRemoved()
    await refreshOne()
    toastDone('Event deleted')
  }
  async function clear(): Promise<void> {
    const { deleted } = await client.events.clear({ connectionId })
    await Promise.all([stored.readAgain(), refreshOne()])
    toastDone(`${formatCount(deleted, 'stored event')} deleted`)
  }
  return {
    isReplaying: replay.isPending,
    replay: (eventId: string) => replay.mutate({ connectionId, eventId }),
    /** Asks first: it cannot be undone. */
    remove(eventId: string, eventName: string, onRemoved: () => void) {
      confirmDialog({
        title: `Delete this ${eventName}?`,
        children:
          'It is removed from the log and can no longer be replayed. The activity keeps its copy in memory until newer activity replaces it. This cannot be undone.',
        confirm: 'Delete event',
        onConfirm: () =>
          void remove(eventId, onRemoved).catch(error => toastProblem('The event was not deleted', error)),
      })
    },
    clear() {
      confirmDialog({
        title: 'Delete all stored events?',
        children:
          'Every event in this connection’s log is deleted, and none can be replayed. The activity keeps its copies in memory until newer activity replaces them. This cannot be undone.',
        confirm: 'Delete all stored events',
        onConfirm: () =>
          void clear().catch(error => toastProblem('The stored events were not deleted', error)),
      })
    },
  }
}
