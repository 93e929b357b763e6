import { skipToken, useQuery } from '@tanstack/react-query'
import type { RunDetails } from '#shared/model/run.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { asText } from './exact-run.ts'

/** Returns the actions on a run. */
export function useRunCommands({ runId, eventId, connectionId }: RunDetails) {
  const show = (run: RunDetails) =>
    queries.setQueryData(api.runs.get.queryKey({ input: { runId: run.runId, ...asText } }), run)
  const cancel = useCommand(client.runs.cancel, 'The run was not cancelled', run => {
    show(run)
    toastDone('Run cancelled')
  })
  const retry = useCommand(client.runs.retry, 'The run was not continued', run => {
    show(run)
    toastDone('Run continued')
  })
  const replay = useCommand(client.events.replay, 'The event was not replayed', () =>
    toastDone('Event replayed', 'Every enabled workflow that matches the event runs again.'),
  )
  const event = eventId !== null && connectionId !== null ? { connectionId, eventId } : null
  // Only a stored event can be replayed.
  const stored = useQuery(
    api.events.get.queryOptions({
      input: event ?? skipToken,
      gcTime: 60_000,
      retry: false,
    }),
  )
  return {
    cancel: () => cancel.mutate({ runId, ...asText }),
    retry: () => retry.mutate({ runId, ...asText }),
    replay: () => event !== null && replay.mutate(event),
    canReplay: stored.data !== undefined && stored.data.inMemory !== true,
    isCancelling: cancel.isPending,
    isRetrying: retry.isPending,
    isReplaying: replay.isPending,
  }
}
