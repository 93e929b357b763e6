import { useMutation } from '@tanstack/react-query'
import { parseSample } from '#shared/model/event-type.ts'
import { dataAt } from '#shared/model/sender/reading.ts'
import { senderOf, templatesOf } from '#shared/model/sender/sender.ts'
import { namePlacesOf } from '#shared/model/sender/sender-template.ts'
import { client } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { eventKinds, readOccurrences } from '../../entities/occurrence/use-occurrences.ts'
import { formatJson } from '../../ui/format-json.ts'
import { problemOf } from '../../ui/problem.ts'
import { toastDone, toastProblem, toastUnlessInvalid } from '../../ui/toasts.tsx'
import type { SendOutcome } from './event-draft.ts'

export type SentEvent = SendOutcome & {
  readonly eventName: string
  /** Whether the connection stored its events when this one was sent. */
  readonly isLogged: boolean
}

/**
 * Signs an event and posts it to the connection's own URL.
 *
 * @param text the event's data as JSON, or the whole body; sent unchanged.
 */
export function useSendEvent(eventName: string, text: string, isBody: boolean) {
  const connection = useCurrentConnection()
  const { connectionId, persistEvents } = connection
  const send = useMutation({
    mutationFn: async (): Promise<SentEvent> => {
      const sent = isBody ? { body: text } : { dataText: text }
      const result = await client.events.send({ connectionId, event: eventName, ...sent })
      const [{ eventName: source }] = templatesOf(senderOf(connection))
      const root = isBody ? parseSample(text) : undefined
      const named = namePlacesOf(source).map(place => ('path' in place ? dataAt(place, root) : undefined))
      const name = named.find(one => typeof one === 'string') ?? eventName
      return { ...result, eventName: name, at: Date.now(), isLogged: persistEvents }
    },
    onError: error => toastUnlessInvalid('The test event was not sent', error, () => send.mutate()),
  })
  const [issue] = send.error === null ? [] : problemOf(send.error).issues
  return {
    sent: send.data,
    isSending: send.isPending,
    canSend: eventName !== '' && !send.isPending,
    /** The problem of the event, as a sentence. */
    problem: issue?.message,
    send: () => send.mutate(),
    /** Forgets the last response, which was for another event. */
    reset: () => send.reset(),
  }
}

/**
 * Returns a function that reads the data of the newest event of a name, stored or in memory. If there is none, it says
 * so, unless it is quiet, and returns null. It also returns null for an error, which it always shows.
 */
export function useLastReceived(connectionId: string) {
  return async (eventName: string, isQuiet = false): Promise<string | null> => {
    try {
      const { items } = await readOccurrences({ connectionId, eventName, kinds: eventKinds, limit: 1 })
      const [newest] = items
      if (newest !== undefined && 'eventId' in newest) {
        const { dataText } = await client.events.get({ connectionId, eventId: newest.eventId })
        return formatJson(dataText)
      }
      if (!isQuiet)
        toastDone('No event of this name is stored', 'Switch on “Log inbound events” to store events.')
    } catch (error) {
      toastProblem('The last event could not be read', error)
    }
    return null
  }
}
