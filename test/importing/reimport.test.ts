import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { changeAction, removeAction } from '#main/connections/actions.ts'
import { changeEventType } from '#main/connections/event-types.ts'
import { runImportJob } from '#main/importing/import-job.ts'
import { createImporter } from '#main/importing/importer.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ActionChange } from '#shared/model/action.ts'
import { defaultChoice, ImportComparison } from '#shared/model/import-comparison.ts'
import type { DocumentSource } from '#shared/model/import-source.ts'
import { newFolder, sealer } from '../storage/config-fixtures.ts'
import { anyConnection } from './arbitraries.ts'

const day = 86_400_000
const start = Date.parse('2026-11-01T00:00:00.000Z')

type Method = { operationId?: string; summary?: string; parameters?: object[]; deprecated?: boolean }
type Paths = Record<string, Record<string, Method>>

const openapi = (paths: Paths) =>
  JSON.stringify({
    ...{
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'https://api.shop.example' }],
    },
    paths,
  })
const amount = (schema: object) => ({ name: 'amount', in: 'query', schema })
const refunds = { '/refunds': { post: { operationId: 'refund', summary: 'Refunds.' } } }

/** A store and an importer on it, whose clock stands still until a test moves it. */
async function service(documents: Record<string, string> = {}) {
  let now = start
  const store = await openConfigStore({ file: `${await newFolder()}/config.json`, sealer, clock: () => now })
  onTestFinished(() => store.close())
  const sent: DocumentSource[] = []
  const fetched = async (source: DocumentSource) => {
    sent.push(source)
    const text = documents[source.url]
    if (text === undefined) throw new ServiceError('source_unreachable')
    return { text, bytes: text.length }
  }
  const calls: { actionId: string; at: string }[] = []
  const importer = createImporter({
    ...{ store, variables: () => new Map(), clock: () => now, random: randomBytes },
    lastCalls: async () => calls,
    fetcher: { fetch: async source => ({ ...(await fetched(source)), url: source.url, tookMs: 0 }) },
    planner: { run: async job => Buffer.from(runImportJob(job)), stop: async () => {} },
  })
  const reimport = {
    ...importer.reimport,
    compare: async (...request: Parameters<typeof importer.reimport.compare>) =>
      ImportComparison.parse(JSON.parse(Buffer.from(await importer.reimport.compare(...request)).toString())),
  }
  const record = (connectionId: string): ConnectionRecord => {
    const found = store.snapshot().connections.get(connectionId)
    if (found === undefined) throw new Error('The connection is gone.')
    return found
  }
  return {
    ...{ store, importer, reimport, calls, sent, documents },
    nextDay: () => {
      now += day
    },
    /** Imports a text as a new connection. */
    async imported(
      text: string,
      format: 'auto' | 'document' = 'auto',
      only: object | null = null,
      placeholders = {},
    ) {
      const { connectionId } = await importer.apply({ text, format, only, placeholders })
      const actionOf = (toolName: string) => {
        const action = record(connectionId).actions.find(one => one.toolName === toolName)
        if (action === undefined) throw new Error(`There is no ${toolName}.`)
        return action
      }
      return {
        ...{ connectionId, actionOf },
        record: () => record(connectionId),
        compare: (other: string) => reimport.compare({ connectionId, text: other }),
        update: (other: string, apply: string[], more = {}) =>
          reimport.update({ connectionId, text: other, apply, ...more }),
        edit: (toolName: string, change: ActionChange) =>
          store.update(config =>
            changeAction(
              config,
              connectionId,
              actionOf(toolName).actionId,
              change,
              new Date(now).toISOString(),
            ),
          ),
      }
    },
  }
}

const nothing = { added: [], changed: [], removed: [] }
const fieldsOf = ({ changed }: ImportComparison) =>
  changed.map(({ operation, fields }) => [operation, fields.map(({ field }) => field)])

describe('importing a document again', () => {
  test('changes nothing if it is the same, whether or not its entries were edited', async () => {
    const { imported, store } = await service()
    const text = openapi({ ...refunds, '/orders': { get: { operationId: 'orders' } } })
    const shop = await imported(text)
    await shop.edit('refund', { description: 'Mine.', parameters: [], toolName: 'pay_back' })
    expect(await shop.compare(text)).toMatchObject({ ...nothing, same: 2, notTaken: 0 })
    const changes = store.changeCount()
    expect(await shop.update(text, [])).toMatchObject({ added: [], changed: [], disabled: [] })
    expect(store.changeCount()).toBe(changes)
  })

  test('shows a parameter that the document has changed, and keeps an edited description', async () => {
    const { imported } = await service()
    const shop = await imported(
      openapi({ '/refunds': { get: { operationId: 'refund', parameters: [amount({ type: 'number' })] } } }),
    )
    await shop.edit('refund', { description: 'Ask first when it is above 200.' })
    const later = openapi({
      '/refunds': { get: { operationId: 'refund', parameters: [amount({ type: 'string' })] } },
    })
    const compared = await shop.compare(later)
    expect(compared).toMatchObject({ added: [], removed: [], same: 0 })
    expect(compared.changed).toMatchObject([
      {
        ...{ operation: 'GET /refunds', kind: 'action', name: 'refund', kept: ['description'] },
        fields: [
          {
            ...{ field: 'parameters.amount', edited: false, editedAt: null },
            ...{ before: { type: 'number' }, after: { type: 'string' } },
          },
        ],
      },
    ])
    expect(await shop.update(later, ['GET /refunds'])).toMatchObject({ changed: ['refund'] })
    expect(shop.actionOf('refund')).toMatchObject({
      description: 'Ask first when it is above 200.',
      parameters: [{ name: 'amount', type: 'string' }],
    })
    expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 1 })
  })

  test('offers a field that both have changed unchecked, with the date of the edit, until it is decided', async () => {
    const { imported, nextDay } = await service()
    const shop = await imported(openapi(refunds))
    nextDay()
    await shop.edit('refund', { description: 'Mine.', name: 'Pay back' })
    const later = openapi({ '/refunds': { post: { operationId: 'refund', summary: 'Creates a refund.' } } })
    const compared = await shop.compare(later)
    expect(compared.changed[0]?.fields).toMatchObject([
      { field: 'name', before: 'Pay back', after: 'Creates a refund.', edited: true },
      { field: 'description', before: 'Mine.', edited: true, editedAt: new Date(start + day).toISOString() },
    ])
    expect(defaultChoice(compared, start)).toEqual([])
    nextDay()
    // Its plain name takes nothing that was edited; a field that is named is taken.
    const fields = { 'POST /refunds': ['description'] }
    expect(await shop.update(later, ['POST /refunds'], { fields })).toMatchObject({
      changed: ['refund'],
    })
    expect(shop.actionOf('refund')).toMatchObject({ name: 'Pay back', description: 'Creates a refund.' })
    expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 1 })
    const latest = openapi({ '/refunds': { post: { operationId: 'refund', summary: 'Refunds all.' } } })
    expect((await shop.compare(latest)).changed[0]?.fields).toMatchObject([
      { field: 'name', edited: true, editedAt: new Date(start + day).toISOString() },
      { field: 'description', edited: false },
    ])
  })

  test('recognizes a tool that was renamed here, and one that the document has renamed or moved', async () => {
    const { imported } = await service()
    const shop = await imported(openapi({ ...refunds, '/orders': { get: { operationId: 'orders' } } }))
    await shop.edit('refund', { toolName: 'pay_back' })
    const later = openapi({
      '/refunds': { post: { operationId: 'createRefund', summary: 'Refunds.' } },
      '/v2/orders': { get: { operationId: 'orders' } },
    })
    const compared = await shop.compare(later)
    expect(compared).toMatchObject({ added: [], removed: [] })
    expect(fieldsOf(compared)).toEqual([['GET /v2/orders', ['description', 'path']]])
    await shop.update(later, defaultChoice(compared, start))
    expect(shop.actionOf('pay_back')).toMatchObject({ path: '/refunds' })
    expect(shop.actionOf('orders')).toMatchObject({ path: '/v2/orders' })
    expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 2 })
  })

  test('adds what is new, but not what was left out or deleted here', async () => {
    const { imported, store } = await service()
    const before = openapi({
      ...{ ...refunds, '/orders': { get: { operationId: 'orders' } } },
      '/old': { get: { operationId: 'old' } },
    })
    const shop = await imported(before, 'auto', { actions: ['refund', 'orders'] })
    await store.update(config =>
      removeAction(
        config,
        shop.connectionId,
        shop.actionOf('orders').actionId,
        new Date(start).toISOString(),
      ),
    )
    expect(await shop.compare(before)).toMatchObject({ ...nothing, same: 1, notTaken: 2 })
    const later = before.replace('"/old"', '"/new":{"put":{"operationId":"refund"}},"/old"')
    const compared = await shop.compare(later)
    expect(compared).toMatchObject({
      added: [{ operation: 'PUT /new', name: 'refund_2', method: 'PUT', inputs: 0, isEnabled: true }],
      notTaken: 2,
    })
    expect(await shop.update(later, ['PUT /new'])).toMatchObject({ added: ['refund_2'] })
    expect(shop.record().actions.map(({ toolName }) => toolName)).toEqual(['refund', 'refund_2'])
    expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 2, notTaken: 2 })
  })

  test('fills in the constants of the first import', async () => {
    const { imported } = await service()
    const paths = { '/shops/{shop}/orders': { get: { operationId: 'orders' } } }
    const shop = await imported(openapi(paths), 'auto', null, { shop: 'main' })
    expect(shop.actionOf('orders').path).toBe('/shops/main/orders')
    const more = { ...paths, '/shops/{shop}': { get: { operationId: 'shop' } } }
    const compared = await shop.compare(openapi(more))
    expect(compared).toMatchObject({ added: [{ operation: 'GET /shops/{shop}' }], changed: [], same: 1 })
    await shop.update(openapi(more), ['GET /shops/{shop}'])
    expect(shop.actionOf('shop').path).toBe('/shops/main')
  })

  test('gives a new action another tool name than one that was renamed to it', async () => {
    const { imported } = await service()
    const shop = await imported(openapi(refunds))
    await shop.edit('refund', { toolName: 'orders' })
    const later = openapi({ ...refunds, '/orders': { get: { operationId: 'orders' } } })
    expect(await shop.update(later, ['GET /orders'])).toMatchObject({ added: ['orders_2'] })
    expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 2 })
  })

  test('switches off what is gone, offers it again when it is back, and deletes nothing', async () => {
    const { imported } = await service()
    const whole = openapi({ ...refunds, '/orders': { get: { operationId: 'orders' } } })
    const shop = await imported(whole)
    const less = openapi(refunds)
    const compared = await shop.compare(less)
    expect(compared).toMatchObject({
      ...{ added: [], changed: [], same: 1 },
      removed: [{ operation: 'GET /orders', name: 'orders', edited: false, lastCalledAt: null }],
    })
    expect(await shop.update(less, ['GET /orders'])).toMatchObject({ disabled: ['orders'], changed: [] })
    expect(shop.actionOf('orders').isEnabled).toBe(false)
    expect(await shop.compare(less)).toMatchObject({ ...nothing, same: 1 })
    const back = await shop.compare(whole)
    expect(fieldsOf(back)).toEqual([['GET /orders', ['isEnabled']]])
    expect(back.changed[0]?.fields[0]).toMatchObject({ before: false, after: true, edited: false })
    await shop.update(whole, defaultChoice(back, start))
    expect(shop.actionOf('orders').isEnabled).toBe(true)
  })

  test('does not switch off by default what was kept, or called in the last 30 days', async () => {
    const { imported, calls } = await service()
    const shop = await imported(openapi({ ...refunds, '/orders': { get: { operationId: 'orders' } } }))
    const less = openapi(refunds)
    const at = new Date(start - 29 * day).toISOString()
    calls.push({ actionId: shop.actionOf('orders').actionId, at })
    const compared = await shop.compare(less)
    expect(compared.removed).toMatchObject([{ name: 'orders', lastCalledAt: at }])
    expect(defaultChoice(compared, start)).toEqual([])
    expect(defaultChoice(compared, start + 2 * day)).toEqual(['GET /orders'])
    calls.length = 0
    await shop.update(less, [])
    const kept = await shop.compare(less)
    expect(kept.removed).toMatchObject([{ name: 'orders', edited: true }])
    expect(defaultChoice(kept, start)).toEqual([])
  })

  test('refuses what does not fit: another document, another version, an unknown operation', async () => {
    const { imported, reimport } = await service()
    const shop = await imported(openapi(refunds))
    const later = openapi({ '/refunds': { post: { operationId: 'refund', summary: 'Other.' } } })
    const { hash, updatedAt } = await shop.compare(later)
    const other = openapi({ '/pets': { get: { operationId: 'pets' } } })
    await expect(shop.compare(other)).rejects.toMatchObject({ code: 'invalid_document' })
    await expect(shop.compare('{')).rejects.toMatchObject({ code: 'invalid_document' })
    await expect(reimport.compare({ connectionId: shop.connectionId })).rejects.toMatchObject({
      code: 'no_import_source',
    })
    const apply = ['POST /refunds']
    await expect(shop.update(openapi(refunds), apply, { hash })).rejects.toMatchObject({
      code: 'changed_meanwhile',
    })
    await expect(shop.update(later, ['GET /x'])).rejects.toMatchObject({ code: 'invalid_input' })
    const fields = { 'POST /refunds': ['path'] }
    await expect(shop.update(later, ['POST /refunds'], { fields })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await shop.edit('refund', { name: 'Mine' })
    const ifUpdatedAt = Date.parse(updatedAt)
    await expect(shop.update(later, apply, { hash, ifUpdatedAt })).rejects.toMatchObject({
      code: 'changed_meanwhile',
    })
    expect(shop.actionOf('refund').description).toBe('Refunds.')
  })

  test('shows the start of long values only, and leaves the last ones out of very many', async () => {
    const { imported } = await service()
    const events = (mark: string) =>
      JSON.stringify({
        connection: { name: 'Shop' },
        events: Array.from({ length: 1500 }, (_, index) => ({
          ...{ eventName: `event.${index}`, samplePayload: { text: mark.repeat(5000) } },
        })),
      })
    const shop = await imported(events('a'), 'document')
    const { changed } = await shop.compare(events('b'))
    expect(changed).toHaveLength(1500)
    const [first] = changed[0]?.fields ?? []
    expect(String(first?.after)).toMatch(/^\{\n {2}"text": "b+…$/)
    expect(String(first?.after)).toHaveLength(4001)
    expect(changed.at(-1)?.fields).toMatchObject([
      { field: 'samplePayload', before: null, after: null, omitted: true },
    ])
    expect(first).not.toHaveProperty('omitted')
  })

  test('of fields that do not fit together is refused as a whole', async () => {
    const { imported } = await service()
    const text = openapi({ '/orders': { get: { operationId: 'orders', parameters: [amount({})] } } })
    const shop = await imported(text)
    await shop.edit('orders', { path: '/orders?fixed=1' })
    const fixed = { name: 'fixed', in: 'query', schema: { type: 'string' } }
    const later = openapi({ '/orders': { get: { operationId: 'orders', parameters: [fixed] } } })
    await expect(shop.update(later, ['GET /orders'])).rejects.toMatchObject({
      code: 'invalid_input',
      data: { issues: [{ path: expect.stringContaining('GET /orders.parameters') }] },
    })
  })

  test('can be taken back until the connection changes', async () => {
    const { imported, reimport } = await service()
    const shop = await imported(openapi(refunds))
    const before = shop.record()
    const later = openapi({ '/refunds': { post: { operationId: 'refund', summary: 'Other.' } } })
    await expect(reimport.undo(shop.connectionId)).rejects.toMatchObject({ code: 'nothing_to_undo' })
    await shop.update(later, ['POST /refunds'])
    await reimport.undo(shop.connectionId)
    const { actions, source } = shop.record()
    expect({ actions, source }).toEqual({ actions: before.actions, source: before.source })
    await shop.update(later, ['POST /refunds'])
    await shop.edit('refund', { name: 'Mine' })
    await expect(reimport.undo(shop.connectionId)).rejects.toMatchObject({ code: 'changed_meanwhile' })
  })

  test('works for a connection from before sources were kept: what was edited is offered unchecked', async () => {
    const { imported, store, nextDay } = await service()
    const shop = await imported(openapi({ ...refunds, '/orders': { get: { operationId: 'orders' } } }))
    await store.update(config => {
      const { source: _source, ...record } = shop.record()
      const actions = record.actions.map(({ imported: _imported, ...action }) => action)
      const connections = new Map(config.connections).set(shop.connectionId, { ...record, actions })
      return { next: { ...config, connections }, result: null }
    })
    nextDay()
    await shop.edit('refund', { description: 'Mine.' })
    const later = openapi({
      '/refunds': { post: { operationId: 'refund', summary: 'Refunds all.' } },
      '/orders': { get: { operationId: 'orders', summary: 'Orders' } },
    })
    const compared = await shop.compare(later)
    expect(compared.changed.map(({ name, fields }) => [name, fields.map(({ edited }) => edited)])).toEqual([
      ['refund', [true, true]],
      ['orders', [false, false]],
    ])
    await shop.update(later, defaultChoice(compared, start))
    expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 2 })
    expect(shop.record().source).toMatchObject({ format: 'openapi', hash: compared.hash })
  })

  test('compares the samples and labels of event types, and never removes one', async () => {
    const { imported, store } = await service()
    const events = (samplePayload: object, label = 'Paid') =>
      JSON.stringify({
        version: 1,
        connection: { name: 'Shop' },
        events: [{ eventName: 'order.paid', label, samplePayload }, { eventName: 'order.sent' }],
      })
    const shop = await imported(events({ id: 1 }), 'document')
    const [type] = shop.record().eventTypes
    await store.update(config =>
      changeEventType(
        config,
        shop.connectionId,
        type?.eventTypeId ?? '',
        { label: 'Mine' },
        new Date(start).toISOString(),
      ),
    )
    const later = events({ id: 1, total: 9007199254740993n.toString() })
    const compared = await shop.compare(later)
    expect(compared.changed).toMatchObject([
      {
        ...{ operation: 'event order.paid', kind: 'eventType', method: null, kept: ['label'] },
        fields: [{ field: 'samplePayload', before: '{\n  "id": 1\n}', edited: false }],
      },
    ])
    await shop.update(later, ['event order.paid'])
    expect(shop.record().eventTypes[0]).toMatchObject({
      ...{ label: 'Mine', samplePayload: { id: 1, total: '9007199254740993' } },
    })
    const one = JSON.stringify({ connection: { name: 'Shop' }, events: [{ eventName: 'order.sent' }] })
    expect(await shop.compare(one)).toMatchObject({ ...nothing, same: 1 })
  })
})

test('compares the webhooks of an OpenAPI document', async () => {
  const { imported } = await service()
  const webhook = (properties: object) => ({
    post: { requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } } },
  })
  const document = (webhooks: object) => JSON.stringify({ ...JSON.parse(openapi(refunds)), webhooks })
  const text = document({ 'order.paid': webhook({ id: { type: 'integer' } }) })
  const shop = await imported(text)
  expect(shop.record().eventTypes.map(({ eventName }) => eventName)).toEqual(['order.paid'])
  expect(await shop.compare(text)).toMatchObject({ ...nothing, same: 2 })
  const later = document({
    'order.paid': webhook({ id: { type: 'integer' }, total: { type: 'integer' } }),
    'order.sent': webhook({ id: { type: 'integer' } }),
  })
  const compared = await shop.compare(later)
  expect(compared.added).toMatchObject([{ operation: 'event order.sent', kind: 'eventType', inputs: 1 }])
  expect(fieldsOf(compared)).toEqual([['event order.paid', ['samplePayload']]])
  await shop.update(later, defaultChoice(compared, start))
  expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 3 })
})

test('compares a Postman collection, also requests with the same method and path', async () => {
  const { imported } = await service()
  const request = (name: string, path: string, field: string) => ({
    name,
    request: {
      method: 'POST',
      url: `https://api.shop.example${path}`,
      body: { mode: 'raw', raw: JSON.stringify({ [field]: 1 }), options: { raw: { language: 'json' } } },
    },
  })
  const collection = (...item: object[]) =>
    JSON.stringify({
      info: {
        name: 'Shop',
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      },
      item,
    })
  const [create, copy] = [request('Create', '/orders', 'id'), request('Copy', '/orders', 'from')]
  const text = collection(create, copy)
  const shop = await imported(text)
  expect(shop.record().actions).toHaveLength(2)
  expect(await shop.compare(text)).toMatchObject({ ...nothing, same: 2 })
  const later = collection(create, request('Copy', '/orders', 'source'))
  const compared = await shop.compare(later)
  expect(compared.changed).toMatchObject([{ name: 'copy' }])
  await shop.update(later, defaultChoice(compared, start))
  expect(await shop.compare(later)).toMatchObject({ ...nothing, same: 2 })
})

describe('the address of a document', () => {
  const url = 'https://shop.example/openapi.json'
  const later = openapi({ '/refunds': { post: { operationId: 'refund', summary: 'Other.' } } })

  test('is kept with a header that has a variable, and fetched again', async () => {
    const { importer, reimport, sent, documents, store } = await service({ [url]: openapi(refunds) })
    const header = { name: 'X-Api-Key', value: '{{SHOP_KEY}}' }
    const { connectionId } = await importer.apply({ url, header, format: 'auto' })
    expect(reimport.source(connectionId)).toMatchObject({ url })
    documents[url] = later
    const { hash, changed } = await reimport.compare({ connectionId })
    expect(changed).toMatchObject([{ operation: 'POST /refunds' }])
    await reimport.update({ connectionId, apply: ['POST /refunds'], hash })
    expect(sent).toEqual([
      { url, header },
      { url, header },
      { url, header },
    ])
    expect(reimport.source(connectionId)).toMatchObject({ url, hash })
    documents[url] = openapi(refunds)
    await expect(reimport.update({ connectionId, apply: [], hash })).rejects.toMatchObject({
      code: 'changed_meanwhile',
    })
    const connection = store.snapshot().connections.get(connectionId)
    expect(connection?.source?.header).toEqual(header)
  })

  test('is kept without a header that holds its value in plain text', async () => {
    const { importer, store, sent, reimport } = await service({ [url]: openapi(refunds) })
    const header = { name: 'X-Api-Key', value: 'canary-4711' }
    const { connectionId } = await importer.apply({ url, header, format: 'auto' })
    expect(JSON.stringify([...store.snapshot().connections.values()])).not.toContain('canary')
    await reimport.compare({ connectionId })
    expect(sent.at(-1)).toEqual({ url, header: undefined })
  })

  test('can be given later, and stays when a text is given', async () => {
    const { imported, reimport, documents, sent } = await service()
    const shop = await imported(openapi(refunds))
    const { connectionId } = shop
    expect(reimport.source(connectionId)?.url).toBeNull()
    documents[url] = openapi(refunds)
    await reimport.update({ connectionId, url, header: { name: 'X-Api-Key', value: '{{KEY}}' }, apply: [] })
    expect(reimport.source(connectionId)?.url).toBe(url)
    await shop.update(later, ['POST /refunds'])
    expect(reimport.source(connectionId)?.url).toBe(url)
    const other = 'https://other.example/openapi.json'
    documents[other] = later
    // The kept header goes to its own address alone.
    await reimport.compare({ connectionId, url: other })
    expect(sent.at(-1)).toEqual({ url: other, header: undefined })
  })

  test('that replaces another one does not get its header', async () => {
    const header = { name: 'X-Api-Key', value: '{{SHOP_KEY}}' }
    const other = 'https://other.example/openapi.json'
    const documents = { [url]: openapi(refunds), [other]: openapi(refunds) }
    const { importer, reimport, sent } = await service(documents)
    const updated = await importer.apply({ url, header, format: 'auto' })
    await reimport.update({ connectionId: updated.connectionId, url: other, apply: [] })
    const added = await importer.apply({ url, header, format: 'auto', only: { eventTypes: [] } })
    await importer.apply({ url: other, format: 'auto', connectionId: added.connectionId })
    for (const { connectionId } of [updated, added]) {
      await reimport.compare({ connectionId })
      expect(sent.at(-1)).toEqual({ url: other, header: undefined })
    }
  })
})

test('an ordinary import skips duplicates as before, and is not the source of another connection', async () => {
  const { imported, importer, reimport } = await service()
  const shop = await imported(openapi(refunds))
  const source = reimport.source(shop.connectionId)
  expect(source).toEqual({
    ...{ format: 'openapi', url: null, importedAt: new Date(start).toISOString() },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const { connectionId } = shop
  const other = openapi({ '/orders': { get: { operationId: 'orders' } } })
  await importer.apply({ text: other, format: 'openapi', connectionId })
  expect(reimport.source(connectionId)).toEqual(source)
  expect(shop.actionOf('orders')).not.toHaveProperty('imported')
  expect(await shop.compare(openapi(refunds))).toMatchObject({ ...nothing, same: 1 })
  const curl = await importer.apply({ text: 'curl https://a.example/x', format: 'curl' })
  expect(reimport.source(curl.connectionId)).toBeNull()
})

test('whatever both sides change, no edit is lost, and after an update nothing is left to take', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(anyConnection, anyConnection, fc.array(fc.nat({ max: 3 }), { maxLength: 4 })),
      async ([first, second, picked]) => {
        const { imported } = await service()
        const document = (one: typeof first) =>
          JSON.stringify({
            version: 1,
            connection: { ...first.connection },
            actions: one.actions,
            events: one.eventTypes,
          })
        const shop = await imported(document(first), 'document')
        // The second document has the names of the first, so that most of its entries are changes.
        const named = {
          ...second,
          actions: second.actions.map((action, index) => ({
            ...action,
            toolName: first.actions[index]?.toolName ?? `new_${index}`,
          })),
          eventTypes: second.eventTypes.map((type, index) => ({
            ...type,
            eventName: first.eventTypes[index]?.eventName ?? `new ${index}`,
          })),
        }
        const edits = new Map<string, string>()
        for (const index of picked) {
          const action = first.actions[index]
          if (action === undefined) continue
          edits.set(action.toolName, `Mine ${index}`)
          await shop.edit(action.toolName, { description: `Mine ${index}`, name: `Mine ${index}` })
        }
        expect(await shop.compare(document(first))).toMatchObject({ ...nothing, notTaken: 0 })
        const text = document(named)
        const compared = await shop.compare(text).catch(() => null)
        // None of the names is left.
        if (compared === null) return
        await shop.update(text, defaultChoice(compared, start), { hash: compared.hash }).catch(error => {
          // Fields of both sides may not fit together. Then nothing is changed.
          expect(error).toMatchObject({ code: 'invalid_input' })
          throw new fc.PreconditionFailure()
        })
        for (const [toolName, mine] of edits)
          expect(shop.actionOf(toolName)).toMatchObject({ description: mine, name: mine })
        const after = await shop.compare(text)
        expect(after).toMatchObject({ added: [], changed: [] })
        expect(defaultChoice(after, start)).toEqual([])
        expect(shop.record().actions.length).toBeGreaterThanOrEqual(first.actions.length)
      },
    ),
    { numRuns: 100 },
  )
})
