import { useQuery } from '@tanstack/react-query'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { forgetOccurrence, itemIdOf, resetOccurrences } from '../../entities/occurrence/use-occurrences.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'

/** Returns an event, stored or in memory. */
export function useEvent(connectionId: string, eventId: string) {
  return useQuery(api.events.get.queryOptions({ input: { connectionId, eventId }, gcTime: 60_000 }))
}

/** Returns the actions on a connection's events. */
export function useEventCommands(connectionId: string) {
  const replay = useCommand(client.events.replay, 'The event was not replayed', () =>
    toastDone('Event replayed', 'Its trigger was raised again.'),
  )
  const refreshOne = () => queries.invalidateQueries({ queryKey: api.events.get.key() })

  async function remove(eventId: string, onRemoved: () => void): Promise<void> {
    await client.events.remove({ connectionId, eventId })
    forgetOccurrence(itemIdOf(eventId))
    onRemoved()
    await refreshOne()
    toastDone('Event deleted')
  }
  async function clear(): Promise<void> {
    const { deleted } = await client.events.clear({ connectionId })
    await Promise.all([resetOccurrences(), refreshOne()])
    toastDone(`${formatCount(deleted, 'stored event')} deleted`)
  }
  return {
    isReplaying: replay.isPending,
    replay: (eventId: string) => replay.mutate({ connectionId, eventId }),
    /** Asks first: it cannot be undone. */
    remove(eventId: string, eventName: string, onRemoved: () => void) {
      confirmDialog({
        title: `Delete this ${eventName}?`,
        children: 'It is removed from the log and can no longer be replayed. This cannot be undone.',
        confirm: 'Delete event',
        onConfirm: () =>
          void remove(eventId, onRemoved).catch(error => toastProblem('The event was not deleted', error)),
      })
    },
    clear() {
      confirmDialog({
        title: 'Delete all stored events?',
        children:
          'Every event in this connection’s log is deleted, and none can be replayed. This cannot be undone.',
        confirm: 'Delete all stored events',
        onConfirm: () =>
          void clear().catch(error => toastProblem('The stored events were not deleted', error)),
      })
    },
  }
}
