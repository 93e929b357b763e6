import { findConnection } from '#main/connections/connections.ts'
import {
  changeEventType,
  createEventType,
  removeEventType,
  toEventType,
} from '#main/connections/event-types.ts'
import type { Base } from './base.ts'
import { nowOf, type RpcParts } from './context.ts'

export function eventTypes(os: Base, parts: RpcParts) {
  const { store, random } = parts
  return os.eventTypes.router({
    list: os.eventTypes.list.handler(({ input }) =>
      findConnection(store.snapshot(), input.connectionId).eventTypes.map(toEventType),
    ),
    create: os.eventTypes.create.handler(async ({ input: { connectionId, ...fields } }) =>
      toEventType(
        await store.update(config => createEventType(config, connectionId, fields, nowOf(parts), random)),
      ),
    ),
    update: os.eventTypes.update.handler(async ({ input: { connectionId, eventTypeId, ...change } }) =>
      toEventType(
        await store.update(config =>
          changeEventType(config, connectionId, eventTypeId, change, nowOf(parts)),
        ),
      ),
    ),
    remove: os.eventTypes.remove.handler(async ({ input: { connectionId, eventTypeId } }) => {
      await store.update(config => removeEventType(config, connectionId, eventTypeId, nowOf(parts)))
      return { deleted: 1 }
    }),
  })
}
