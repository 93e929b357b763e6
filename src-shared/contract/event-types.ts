import { z } from 'zod'
import { EventType, EventTypeChange, NewEventType } from '../model/event-type.ts'
import { Deleted, route } from './base.ts'
import { OneConnection } from './connections.ts'

const tag = 'event types'
const One = OneConnection.extend({ eventTypeId: z.string() })

export const eventTypes = {
  list: route('GET', '/connections/{connectionId}/event-types', {
    tag,
    summary: 'Declared event types',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(z.array(EventType)),
  create: route('POST', '/connections/{connectionId}/event-types', {
    tag,
    summary: 'Declare an event type',
    errors: ['connection_not_found', 'duplicate_event_name'],
    successStatus: 201,
  })
    .input(OneConnection.extend(NewEventType.shape))
    .output(EventType),
  update: route('PATCH', '/connections/{connectionId}/event-types/{eventTypeId}', {
    tag,
    summary: 'Change an event type',
    errors: ['connection_not_found', 'event_type_not_found', 'duplicate_event_name'],
  })
    .input(One.extend(EventTypeChange.shape))
    .output(EventType),
  remove: route('DELETE', '/connections/{connectionId}/event-types/{eventTypeId}', {
    tag,
    summary: 'Remove an event type; events of that name are still accepted',
    errors: ['connection_not_found', 'event_type_not_found'],
  })
    .input(One)
    .output(Deleted),
}
