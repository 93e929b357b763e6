import { useMutation, useQuery } from '@tanstack/react-query'
import type { RunDetails } from '#shared/model/run.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { asText } from './exact-run.ts'

/** Returns the actions on a run. */
export function useRunCommands({ runId, eventId, connectionId }: RunDetails) {
  const show = (run: RunDetails) =>
    queries.setQueryData(api.runs.get.queryKey({ input: { runId: run.runId, ...asText } }), run)
  const cancel = useMutation(
    api.runs.cancel.mutationOptions({
      onSuccess(run) {
        show(run)
        toastDone('Run cancelled')
      },
      onError: error => toastProblem('The run was not cancelled', error),
    }),
  )
  const retry = useMutation(
    api.runs.retry.mutationOptions({
      onSuccess(run) {
        show(run)
        toastDone('Run continued')
      },
      onError: error => toastProblem('The run was not continued', error),
    }),
  )
  const replay = useMutation(
    api.events.replay.mutationOptions({
      onSuccess: () =>
        toastDone('Event replayed', 'Every enabled workflow that matches the event runs again.'),
      onError: error => toastProblem('The event was not replayed', error),
    }),
  )
  // Only a stored event can be replayed.
  const stored = useQuery(
    api.events.get.queryOptions({
      input: { connectionId, eventId: eventId ?? '' },
      enabled: eventId !== null && connectionId !== '',
      gcTime: 60_000,
      retry: false,
    }),
  )
  return {
    cancel: () => cancel.mutate({ runId, ...asText }),
    retry: () => retry.mutate({ runId, ...asText }),
    replay: () => eventId !== null && replay.mutate({ connectionId, eventId }),
    canReplay: stored.data !== undefined,
    isCancelling: cancel.isPending,
    isRetrying: retry.isPending,
    isReplaying: replay.isPending,
  }
}
