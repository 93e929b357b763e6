import { describe, expect, test } from 'vitest'
import { changeConnection } from '#main/connections/connections.ts'
import {
  changeEventType,
  createEventType,
  removeEventType,
  toEventType,
} from '#main/connections/event-types.ts'
import { countingRandom, now, nowMs, withShop } from './fixtures.ts'

const later = new Date(nowMs + 1000).toISOString()

function withType(eventName = 'order.created') {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const { next, result } = createEventType(config, shop.connectionId, { eventName }, now, random)
  return { config: next, connectionId: shop.connectionId, type: result, random }
}

describe('event types', () => {
  test('names are told apart to the letter', () => {
    const { config, connectionId, random } = withType('order.created')
    const declare = (eventName: string) => createEventType(config, connectionId, { eventName }, now, random)
    expect(() => declare('order.created')).toThrow(expect.objectContaining({ code: 'duplicate_event_name' }))
    for (const other of ['Order.created', 'order.created ', 'order.create', '__proto__'])
      expect(declare(other).result.eventName).toBe(other)
  })

  test('an empty label is none', () => {
    const { config, connectionId, type } = withType()
    const change = (label: string | null) =>
      changeEventType(config, connectionId, type.eventTypeId, { label }, later).result.label
    expect([change('Order'), change(''), change(null)]).toEqual(['Order', null, null])
  })

  test('changing one keeps its place and its id, and marks the connection as changed', () => {
    const { config, connectionId, type, random } = withType()
    const second = createEventType(config, connectionId, { eventName: 'b' }, now, random)
    const { next, result } = changeEventType(
      second.next,
      connectionId,
      type.eventTypeId,
      { eventName: 'a', samplePayload: { x: 1 } },
      later,
    )
    expect(toEventType(result)).toEqual({
      ...type,
      eventName: 'a',
      samplePayload: { x: 1 },
      variables: ['x'],
      updatedAt: later,
    })
    const connection = next.connections.get(connectionId)
    expect(connection?.eventTypes.map(known => known.eventName)).toEqual(['a', 'b'])
    expect(connection?.updatedAt).toBe(later)
  })

  test('removing one leaves the others; a second time it is not found', () => {
    const { config, connectionId, type } = withType()
    const { next } = removeEventType(config, connectionId, type.eventTypeId, later)
    expect(next.connections.get(connectionId)?.eventTypes).toEqual([])
    expect(() => removeEventType(next, connectionId, type.eventTypeId, later)).toThrow(
      expect.objectContaining({ code: 'event_type_not_found' }),
    )
  })

  test('stay when the connection is changed', () => {
    const { config, connectionId, type } = withType()
    expect(changeConnection(config, connectionId, { name: 'x' }, later).result.eventTypes).toEqual([type])
  })
})
