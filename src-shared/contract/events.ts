import { z } from 'zod'
import { EventId } from '../model/identifiers.ts'
import { EventName, EventPage, EventQuery, FoundEvent, StoredEvent } from '../model/inbound-event.ts'
import { AnyKey } from '../model/json-value.ts'
import { searched } from '../model/searched.ts'
import { Deleted, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('events')
const ofConnection = routesOf('events', '/connections/{connectionId}/events')
const One = OneConnection.extend({ eventId: z.string() })

/** The listener's response to an event that the service sent to it. */
export const SendResult = z.object({
  status: z.int(),
  body: z.unknown(),
  totalMs: z.number().describe('Milliseconds from the first byte sent to the last received.'),
})

export const events = {
  list: ofConnection('GET', '', 'Stored events, newest first', ['events_busy'])
    .input(OneConnection.extend(EventQuery.shape))
    .output(EventPage),
  search: route('GET', '/events', 'Search the stored events of all connections, newest first', [
    'workspace_not_found',
  ])
    .input(
      z.object({
        workspaceId: z.string().optional(),
        text: z.string().min(1).max(200).describe('Case-insensitive; anywhere in the body.'),
        before: EventId.optional().describe('The `nextBefore` of the page before.'),
        limit: z.coerce.number().int().min(1).max(50).default(20),
      }),
    )
    .output(
      z.object({
        events: z.array(FoundEvent),
        nextBefore: EventId.nullable().describe('The `before` of the next page; null at the end.'),
        searched,
        complete: z
          .boolean()
          .describe('False if older events were not searched, although there was room for more.'),
      }),
    ),
  clear: ofConnection('DELETE', '', 'Delete all stored events of a connection')
    .input(OneConnection)
    .output(Deleted),
  get: ofConnection('GET', '/{eventId}', 'One event, stored or in memory', ['damaged_event', 'events_busy'])
    .input(One)
    .output(StoredEvent),
  remove: ofConnection('DELETE', '/{eventId}', 'Delete one stored event').input(One).output(Deleted),
  replay: ofConnection(
    'POST',
    '/{eventId}/replay',
    'Start the workflows of a stored event again, marked as a replay',
    ['connection_disabled', 'damaged_event', 'unavailable'],
  )
    .input(One)
    .output(z.object({ eventId: EventId.describe('The id of the replay.') })),
  send: route(
    'POST',
    '/connections/{connectionId}/send',
    'Sign an event and post it to the connection’s own listener',
    ['listener_unreachable'],
  )
    .input(
      OneConnection.extend({
        event: EventName.optional().describe('Required without `body`.'),
        data: z
          .record(AnyKey, z.unknown())
          .nullish()
          .describe('Sent as written here, with all digits of numbers.'),
        dataText: z
          .string()
          .optional()
          .describe('`data` as JSON text, sent unchanged; takes precedence over `data`.'),
        body: z
          .union([z.string(), z.record(AnyKey, z.unknown())])
          .optional()
          .describe(
            'The whole body, sent as written here instead of `event` and `data`; a string is sent unchanged. `event` is then sent only by a scheme that names its events in a header.',
          ),
      }).refine(({ event, body }) => event !== undefined || body !== undefined, {
        path: ['event'],
        message: 'Name the event, or give the whole body as `body`.',
      }),
    )
    .output(SendResult),
}
