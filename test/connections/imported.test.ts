import { describe, expect, test } from 'vitest'
import { changeAction, createAction } from '#main/connections/actions.ts'
import { changeEventType, createEventType } from '#main/connections/event-types.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ActionChange } from '#shared/model/action.ts'
import { NewAction } from '#shared/model/action.ts'
import { countingRandom, now, withShop } from './fixtures.ts'

const later = '2026-11-22T00:00:00.000Z'
const latest = '2026-11-23T00:00:00.000Z'
const order = { name: 'order_id', type: 'string' as const, description: 'The order', required: true }
const fields = NewAction.parse({
  ...{ name: 'Refund', description: 'Refunds.', path: '/refunds', headers: { 'X-Key': '{{KEY}}' } },
  parameters: [order],
})

/** An action that an import made of `POST /refunds`. */
function imported() {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const { next, result } = createAction(config, shop.connectionId, fields, now, random)
  const action = { ...result, imported: { operation: 'POST /refunds' } }
  const record: ConnectionRecord = nextVersion(shop, { actions: [action] }, now)
  const { connectionId } = shop
  let present = { ...next, connections: new Map([[connectionId, record]]) }
  return (change: ActionChange, at = later) => {
    const changed = changeAction(present, connectionId, action.actionId, change, at)
    present = { ...changed.next, connections: new Map(changed.next.connections) }
    return changed.result
  }
}

describe('an imported action', () => {
  test('keeps its operation, and when which field was edited', () => {
    const change = imported()
    const parameters = [
      { ...order, required: false },
      { ...order, name: 'note' },
    ]
    const headers = { 'X-Key': '{{KEY}}', 'X-Tenant': 'a' }
    const { imported: kept } = change({ description: 'Mine.', parameters, headers, toolName: 'other' })
    expect(kept).toEqual({
      operation: 'POST /refunds',
      own: {
        description: { at: later, was: expect.stringMatching(/^[\w-]{12}$/) },
        'headers.X-Tenant': { at: later, was: null },
        'parameters.order_id': { at: later, was: expect.any(String) },
        'parameters.note': { at: later, was: null },
      },
    })
  })

  test('keeps what the document had over several edits, and nothing for a field that is as before', () => {
    const change = imported()
    const first = change({ description: 'Mine.', parameters: [], isEnabled: false })
    const second = change({ description: 'Mine again.', isEnabled: true }, latest)
    expect(second.imported?.own).toEqual({
      description: { at: latest, was: first.imported?.own?.description?.was },
      'parameters.order_id': first.imported?.own?.['parameters.order_id'],
    })
    const back = change({ description: fields.description, parameters: [order] }, latest)
    expect(back.imported).toEqual({ operation: 'POST /refunds' })
  })
})

test('an imported event type keeps what was edited; a sample in another layout is the same', () => {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const given = { eventName: 'order.paid', samplePayload: { id: 1, total: 2 } }
  const { next, result } = createEventType(config, shop.connectionId, given, now, random)
  const type = { ...result, imported: { operation: 'event order.paid' } }
  const record: ConnectionRecord = nextVersion(shop, { eventTypes: [type] }, now)
  const present = { ...next, connections: new Map([[shop.connectionId, record]]) }
  const change = (fields: object) =>
    changeEventType(present, shop.connectionId, type.eventTypeId, fields, later).result.imported
  expect(change({ sampleText: '{\n  "id": 1, "total": 2\n}' })).toEqual(type.imported)
  expect(change({ sampleText: '{"id": 1, "total": 3}', label: 'Paid' })?.own).toEqual({
    samplePayload: { at: later, was: expect.any(String) },
    label: { at: later, was: null },
  })
})

test('an action that nobody imported keeps nothing', () => {
  const random = countingRandom()
  const { config, shop } = withShop(random)
  const { next, result } = createAction(config, shop.connectionId, fields, now, random)
  const { result: changed } = changeAction(next, shop.connectionId, result.actionId, { name: 'x' }, later)
  expect(changed).not.toHaveProperty('imported')
})
