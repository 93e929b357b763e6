import { findConnection } from '#main/connections/connections.ts'
import {
  changeEventType,
  createEventType,
  findEventType,
  removeEventType,
  toEventType,
} from '#main/connections/event-types.ts'
import { EventType, type EventTypeChange } from '#shared/model/event-type.ts'
import {
  type CallContext,
  deletedOne,
  exactField,
  type Handlers,
  nowOf,
  type RpcParts,
  requireVersion,
} from './context.ts'

export function eventTypes(parts: RpcParts): Handlers['eventTypes'] {
  const { store, random } = parts
  return {
    list: ({ input }) => findConnection(store.snapshot(), input.connectionId).eventTypes.map(toEventType),
    create: async ({ input: { connectionId, ...input }, context }) => {
      const fields = withSampleText(input, context)
      return toEventType(
        await store.update(config => createEventType(config, connectionId, fields, nowOf(parts), random)),
      )
    },
    update: async ({ input: { connectionId, eventTypeId, ifUpdatedAt, ...input }, context }) => {
      const change = withSampleText(input, context)
      return toEventType(
        await store.update(config => {
          const before = findEventType(findConnection(config, connectionId), eventTypeId)
          requireVersion(before, ifUpdatedAt, EventType, toEventType)
          return changeEventType(config, connectionId, eventTypeId, change, nowOf(parts))
        }),
      )
    },
    remove: ({ input: { connectionId, eventTypeId } }) =>
      deletedOne(store.update(config => removeEventType(config, connectionId, eventTypeId, nowOf(parts)))),
  }
}

/** Adds the text of a sample payload if JavaScript cannot represent its numbers. */
function withSampleText<Fields extends EventTypeChange>(fields: Fields, context: CallContext): Fields {
  const { samplePayload, sampleText } = fields
  if (sampleText !== undefined || samplePayload === undefined || samplePayload === null) return fields
  const text = JSON.stringify(exactField(context, 'samplePayload') ?? samplePayload)
  return text === JSON.stringify(samplePayload) ? fields : { ...fields, sampleText: text }
}
