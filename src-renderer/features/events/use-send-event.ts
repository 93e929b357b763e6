import { useMutation } from '@tanstack/react-query'
import { client } from '../../client/client.ts'
import { useActivity } from '../../client/live-provider.tsx'
import { problemOf } from '../../client/problem.ts'
import { formatJson } from '../../ui/format-json.ts'
import { toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { newestDataText, type SendOutcome } from './event-draft.ts'

export type SentEvent = SendOutcome & {
  readonly eventName: string
  /** Whether the connection logged its events when this one was sent. */
  readonly isLogged: boolean
}

/** Signs an event and posts it to the connection's own URL. @param dataText JSON text, sent as it is. */
export function useSendEvent(eventName: string, dataText: string) {
  const { connectionId, persistEvents } = useCurrentConnection()
  const send = useMutation({
    mutationFn: async (): Promise<SentEvent> => {
      const result = await client.events.send({ connectionId, event: eventName, dataText })
      return { ...result, eventName, at: Date.now(), isLogged: persistEvents }
    },
    onError: error =>
      toastUnlessInvalid('The test event was not sent', error, [
        { label: 'Try again', run: () => send.mutate() },
      ]),
  })
  const [issue] = send.error === null ? [] : problemOf(send.error).issues
  return {
    sent: send.data,
    isSending: send.isPending,
    canSend: eventName !== '' && !send.isPending,
    /** What is wrong with the event, in a sentence. */
    problem: issue?.message,
    send: () => send.mutate(),
    /** Forgets the last answer, since it was to another event. */
    reset: () => send.reset(),
  }
}

/** Asks for the data of the newest event of a name: the stored one, else what is kept in memory; null for none. */
export function useLastReceived(connectionId: string): (eventName: string) => Promise<string | null> {
  const { items } = useActivity(connectionId)
  return async eventName => {
    const { events } = await client.events.list({ connectionId, eventName, limit: 1 })
    const text = events[0]?.dataText ?? newestDataText(items, eventName)
    return text === null ? null : formatJson(text)
  }
}
