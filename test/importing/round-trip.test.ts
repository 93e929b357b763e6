import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newActionRecord } from '#main/connections/actions.ts'
import { addCases, casesOf, newCaseRecord } from '#main/connections/cases.ts'
import { createConnection, withConnection } from '#main/connections/connections.ts'
import { newEventTypeRecord } from '#main/connections/event-types.ts'
import { exportConnection } from '#main/importing/export.ts'
import { applyImport, previewImport } from '#main/importing/imports.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { CaseData } from '#shared/model/case.ts'
import { ImportDocument } from '#shared/model/import-document.ts'
import { countingRandom, now, nowMs } from '../connections/fixtures.ts'
import { anyConnection } from './arbitraries.ts'
import { newConnection, read, withStockedShop } from './fixtures.ts'

function recordOf(config: Config, connectionId: string): ConnectionRecord {
  const record = config.connections.get(connectionId)
  if (record === undefined) throw new Error('The connection is not there.')
  return record
}

/** Returns the connection that an import of this text creates, and its cases. */
function imported(text: string) {
  const { next, result } = applyImport(newConfig(nowMs), read(text), newConnection, now, countingRandom())
  const { connectionId } = result
  return { copy: recordOf(next, connectionId), itsCases: casesOf(next, connectionId) }
}

/** Returns what a document contains of cases, with their texts as an export writes them. */
const carriedCases = (cases: readonly CaseData[]) =>
  cases.map(({ name, argumentsText, expect: { status, fields } }) => {
    const written = (json: string) => JSON.stringify(parseExact(json))
    const shown = fields.map(({ valueText, ...field }) => ({
      ...field,
      ...(valueText !== undefined && { valueText: written(valueText) }),
    }))
    return { name, argumentsText: written(argumentsText), expect: { status, fields: shown } }
  })

/** Returns the parts of a connection that a document contains. */
const carried = ({ name, baseUrl, persistEvents, actions, eventTypes }: ConnectionRecord) => ({
  name,
  baseUrl,
  persistEvents,
  actions: actions.map(({ actionId: _id, createdAt: _at, updatedAt: _then, ...fields }) => fields),
  eventTypes: eventTypes.map(({ eventTypeId: _id, createdAt: _at, updatedAt: _then, ...fields }) => fields),
})

describe('an import of an export', () => {
  test('gives the same connection, less its credentials, for any connection', () => {
    fc.assert(
      fc.property(anyConnection, ({ connection, actions, casesOfActions, eventTypes }) => {
        const random = countingRandom()
        const { next, result } = createConnection(newConfig(nowMs), connection, now, random)
        const record = {
          ...result,
          actions: actions.map(action => newActionRecord(action, now, random)),
          eventTypes: eventTypes.map(type => newEventTypeRecord(type, now, random)),
        }
        const { connectionId } = record
        const cases = record.actions.flatMap(({ actionId }, index) =>
          (casesOfActions[index] ?? []).map(data =>
            newCaseRecord({ connectionId, actionId }, data, now, random),
          ),
        )
        const config = addCases(withConnection(next, record), cases)
        const text = JSON.stringify(exportConnection(record, cases, value => value))

        const { copy, itsCases } = imported(text)
        // Not by toEqual, which a key named `constructor` leads astray.
        expect(isDeepStrictEqual(carried(copy), carried(record))).toBe(true)
        expect(carriedCases(itsCases)).toEqual(carriedCases(cases))
        expect(JSON.stringify(exportConnection(copy, itsCases, value => value))).toBe(text)

        // Into itself it creates nothing, and leaves the very configuration.
        const target = { connectionId: record.connectionId, workspaceId: null }
        const again = applyImport(config, read(text), target, now, random)
        expect(again.next).toBe(config)
        expect(again.result.created).toEqual({ actions: [], eventTypes: [] })
        expect(again.result.skipped).toEqual({
          actions: record.actions.map(({ toolName }) => toolName),
          eventTypes: record.eventTypes.map(({ eventName }) => eventName),
        })
      }),
      { numRuns: 300 },
    )
  })

  test('says of a good document only what deserves attention', () => {
    const { shop } = withStockedShop()
    const preview = previewImport(
      newConfig(nowMs),
      read(JSON.stringify(exportConnection(shop, [], value => value))),
      newConnection,
    )
    expect(preview.valid).toBe(true)
    expect(preview.issues).toEqual([])
  })

  test('has the fields of the document in its order, and no credential', () => {
    const { shop } = withStockedShop()
    const document = exportConnection(shop, [], value => value)
    expect(ImportDocument.parse(document)).toEqual(document)
    expect(Object.keys(document)).toEqual(['version', 'connection', 'actions', 'events'])
    for (const credential of [shop.signingSecret, shop.inboundToken, shop.connectionId, shop.slug])
      expect(JSON.stringify(document)).not.toContain(`"${credential}"`)
  })
})

describe('an import', () => {
  test('twice creates nothing the second time', () => {
    const { config, shop } = withStockedShop()
    const target = { connectionId: shop.connectionId, workspaceId: null }
    const text = JSON.stringify({
      actions: [{ name: 'Ship', description: 'Ships.', path: '/ship' }],
      events: [{ eventName: 'order.shipped' }],
    })
    const first = applyImport(config, read(text), target, now, countingRandom())
    expect(first.result.created).toEqual({ actions: ['ship'], eventTypes: ['order.shipped'] })
    const second = applyImport(first.next, read(text), target, now, countingRandom())
    expect(second.result.created).toEqual({ actions: [], eventTypes: [] })
    expect(second.result.skipped).toEqual({ actions: ['ship'], eventTypes: ['order.shipped'] })
    expect(second.next).toBe(first.next)
  })

  test('never updates what is there', () => {
    const { config, shop } = withStockedShop()
    const text = JSON.stringify([
      { name: 'Find order', description: 'Another.', path: '/other', method: 'GET' },
    ])
    const target = { connectionId: shop.connectionId, workspaceId: null }
    const { next } = applyImport(config, read(text), target, now, countingRandom())
    expect(recordOf(next, shop.connectionId)).toBe(shop)
  })

  test('leaves the configuration that it began with as it was', () => {
    const { config, shop } = withStockedShop()
    const before = structuredClone([...config.connections])
    const text = JSON.stringify([{ name: 'Ship', description: 'Ships.', path: '/ship' }])
    const target = { connectionId: shop.connectionId, workspaceId: null }
    applyImport(config, read(text), target, now, countingRandom())
    expect([...config.connections]).toEqual(before)
  })

  test('goes nowhere but to a connection or workspace that exists', () => {
    const { config, shop } = withStockedShop()
    const parsed = read('{"actions": []}')
    const plan = (connectionId: string | null, workspaceId: string | null) => () =>
      previewImport(config, parsed, { connectionId, workspaceId })
    expect(plan('conn_no', null)).toThrow(expect.objectContaining({ code: 'connection_not_found' }))
    expect(plan('__proto__', null)).toThrow(expect.objectContaining({ code: 'connection_not_found' }))
    expect(plan(null, 'ws_no')).toThrow(expect.objectContaining({ code: 'workspace_not_found' }))
    expect(plan(shop.connectionId, 'default')().valid).toBe(true)
  })
})
