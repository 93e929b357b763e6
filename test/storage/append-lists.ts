import type { EventLog } from '#main/storage/event-log.ts'
import { eventMaker } from './event-log-events.ts'

/** Events of a list. */
export const listLength = 20

/**
 * Returns a function that appends lists of events with a run each, without end. The text of an event names its list.
 *
 * @param onDurable is called with the id of the last event of each list that is durable.
 */
export function listsOn(log: EventLog, onDurable: (eventId: string) => void): () => Promise<never> {
  const make = eventMaker()
  let lists = 0
  return async () => {
    for (;;) {
      const bodyText = JSON.stringify({ list: lists++ })
      const all = Array.from({ length: listLength }, () => {
        const event = make({ bodyText })
        const run = { workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'lane' }
        return { event, runs: [{ ...run, queuedAt: event.receivedAt, summary: '{}', data: bodyText }] }
      })
      await log.appendAll(all, true)
      onDurable(all.at(-1)?.event.eventId ?? '')
    }
  }
}
