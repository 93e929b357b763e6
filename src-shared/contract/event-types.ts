import { z } from 'zod'
import { EventType, EventTypeChange, NewEventType } from '../model/event-type.ts'
import { Deleted, ifUpdatedAt, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('event types', '/connections/{connectionId}/event-types')
const One = OneConnection.extend({ eventTypeId: z.string() })

export const eventTypes = {
  list: route('GET', '', 'Declared event types').input(OneConnection).output(z.array(EventType)),
  create: route('POST', '', 'Declare an event type', ['duplicate_event_name'])
    .route({ successStatus: 201 })
    .input(OneConnection.extend(NewEventType.shape))
    .output(EventType),
  update: route('PATCH', '/{eventTypeId}', 'Change an event type', [
    'duplicate_event_name',
    'changed_meanwhile',
  ])
    .input(One.extend({ ...EventTypeChange.shape, ...ifUpdatedAt }))
    .output(EventType),
  remove: route('DELETE', '/{eventTypeId}', 'Remove an event type; events of that name are still accepted')
    .input(One)
    .output(Deleted),
}
