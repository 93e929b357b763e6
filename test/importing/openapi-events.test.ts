import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const file = join(import.meta.dirname, '..', 'fixtures', 'import', 'openapi-webhooks.input.yaml')

const eventsOf = (text: string) =>
  new Map(
    read(text, 'auto').content?.events.map(({ fields }) => [fields.eventName, fields.samplePayload]) ?? [],
  )
/** A document with webhooks that have these schemas. */
const documentOf = (schemas: Readonly<Record<string, unknown>>, more: object = {}) => {
  const hooks = Object.entries(schemas).map(([name, schema]) => [
    name,
    { post: { requestBody: { content: { 'application/json': { schema } } } } },
  ])
  const info = { title: 'Shop', version: '1' }
  return JSON.stringify({ openapi: '3.1.0', info, paths: {}, webhooks: Object.fromEntries(hooks), ...more })
}
const constant = (event: string, more: object = {}) => ({
  type: 'object',
  properties: { event: { const: event }, ...more },
})

describe('webhooks and callbacks become event types', () => {
  const events = eventsOf(readFileSync(file, 'utf8'))

  test('with samples of their schemas: allOf, alternatives, formats and cycles', () => {
    expect([...events.keys()]).toEqual([
      'parcel.created',
      'parcel.example',
      'parcel.moved',
      'parcel.opened',
      'labelReady',
    ])
    expect(events.get('parcel.created')).toEqual({
      id: 7,
      createdAt: '2026-01-31T09:30:00Z',
      state: 'new',
      note: 'none',
      parts: [{ weight: 1, isFragile: true }],
      owner: { email: 'ada@example.com' },
      labels: {},
    })
    expect(events.get('labelReady')).toEqual({ url: 'https://example.com', pages: 2 })
    expect(events.get('parcel.opened')).toBeNull()
  })

  test('with the value of the discriminator, which tells the alternatives apart', () => {
    expect(events.get('parcel.moved')).toEqual({ kind: 'box', width: 1 })
  })

  test('with the example of the document, without a signing secret', () => {
    expect(events.get('parcel.example')).toEqual({ id: 12, kind: 'Box', secret: 'whsec_…' })
  })

  test('and the preview counts them, and lists one that cannot be read with the reason', () => {
    const preview = previewImport(newConfig(nowMs), read(readFileSync(file, 'utf8'), 'auto'), newConnection)
    expect(preview).toMatchObject({ valid: true, recognized: { webhooks: 6 } })
    expect(preview.eventTypes.create).toHaveLength(5)
    expect(preview.details.eventTypes[0]).toMatchObject({ eventName: 'parcel.created', line: 5 })
    expect(preview.unsupported).toContainEqual(
      expect.objectContaining({ name: 'webhook parcel.lost', line: 22 }),
    )
  })
})

describe('the name of an event', () => {
  test('is the constant event or type of the payloads, if each has another one', () => {
    expect([
      ...eventsOf(documentOf({ a: constant('order.paid'), b: constant('order.sent') })).keys(),
    ]).toEqual(['order.paid', 'order.sent'])
  })

  test('is that of the webhook if the constants do not tell the events apart', () => {
    for (const schemas of [
      { a: constant('order'), b: constant('order') },
      { a: constant('order.paid'), b: { type: 'object' } },
    ])
      expect([...eventsOf(documentOf(schemas)).keys()]).toEqual(['a', 'b'])
  })
})

describe('the name of an event in a header of a known scheme', () => {
  const inHeader = (parameter: object, more: object = {}) => ({
    post: {
      parameters: [{ name: 'X-GitHub-Event', in: 'header', ...parameter }],
      requestBody: {
        content: { 'application/json': { schema: { type: 'object', properties: { data: { default: 1 } } } } },
      },
      ...more,
    },
  })
  const namesOf = (webhooks: object) => [...eventsOf(documentOf({}, { webhooks })).keys()]

  test('is the constant, the only value or the example of the header', () => {
    const components = { parameters: { Sent: { name: 'x-github-event', in: 'header', example: 'star' } } }
    const webhooks = {
      a: inHeader({ schema: { const: 'push' } }),
      b: inHeader({ schema: { enum: ['ping'] } }),
      'issue-comment-edited': inHeader({ example: 'issue_comment' }),
      'fork-made': inHeader({ schema: { type: 'string', examples: ['fork'] } }),
      'watch-started': inHeader({ examples: { first: { value: 'watch' } } }),
      'star-created': { parameters: [{ $ref: '#/components/parameters/Sent' }], post: {} },
      other: { post: { parameters: [{ name: 'X-Request-Id', in: 'header', example: 'other' }] } },
    }
    expect([...eventsOf(documentOf({}, { webhooks, components })).keys()]).toEqual([
      ...['push', 'ping', 'issue_comment', 'fork', 'watch', 'star', 'other'],
    ])
  })

  test('makes one event type of the webhooks that share it, with the sample of the first', () => {
    const first = inHeader({ example: 'issues' }, { summary: 'An issue was opened.' })
    const text = documentOf(
      {},
      { webhooks: { 'issues-opened': first, 'issues-closed': inHeader({ example: 'issues' }) } },
    )
    expect(read(text, 'auto').content?.events.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        ...{ eventName: 'issues', label: '2 webhooks: issues-opened, issues-closed' },
        samplePayload: { data: 1 },
      }),
    ])
    expect(namesOf({ a: inHeader({ schema: { const: 'issues' } }, { summary: 'One' }) })).toEqual(['issues'])
  })

  test('is not an example that stands for another webhook, but what the operation says', () => {
    expect(
      namesOf({
        'projects-v2-item-edited': inHeader(
          { example: 'project-v2-item' },
          { operationId: 'projects-v2-item/edited' },
        ),
        'check-run-created': inHeader({ example: 'issues' }, { operationId: 'check-run/created' }),
        'page-build': inHeader({ example: 'issues' }, { operationId: 'page-build' }),
        'create-issues': inHeader({ example: 'issues' }, { operationId: 'onCreate' }),
        issuesopened: inHeader({ example: 'issues' }),
      }),
    ).toEqual(['projects_v2_item', 'check_run', 'page_build', 'create-issues', 'issuesopened'])
  })
})

test('the sample of a payload that names its event is its data', () => {
  const data = { type: 'object', properties: { id: { type: 'integer' } } }
  expect(eventsOf(documentOf({ a: constant('order.paid', { data }) })).get('order.paid')).toEqual({ id: 1 })
})

test('webhooks of OpenAPI 3.0 are read where tools commonly write them', () => {
  const text = documentOf({}, { openapi: '3.0.3', webhooks: undefined, 'x-webhooks': { ping: { post: {} } } })
  expect([...eventsOf(text).keys()]).toEqual(['ping'])
})

describe('hostile schemas', () => {
  test('that contain each other in every property have a sample of a bounded size', () => {
    const names = Array.from({ length: 30 }, (_, index) => `S${index}`)
    const properties = Object.fromEntries(names.map(name => [name, { $ref: `#/components/schemas/${name}` }]))
    const schemas = Object.fromEntries(
      names.map(name => [name, { type: 'object', properties: { ...properties, id: { type: 'string' } } }]),
    )
    const hooks = Object.fromEntries(names.map(name => [name, { $ref: `#/components/schemas/${name}` }]))
    const text = documentOf(hooks, { components: { schemas } })
    const events = eventsOf(text)
    expect(events.size).toBe(30)
    expect(JSON.stringify([...events.values()]).length).toBeLessThan(30 * 64 * 1024)
  })

  test('with an example that many webhooks share take no more than the limit of all samples', () => {
    const example = Array.from({ length: 5 }, () => 'x'.repeat(10_000))
    const schema = { type: 'object', properties: { list: { $ref: '#/components/schemas/List' } } }
    const hooks = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`e${index}`, schema]))
    const components = { schemas: { List: { type: 'array', example } } }
    const text = documentOf(hooks, { components })
    expect(eventsOf(text).size).toBe(5000)
    expect(read(text, 'auto').omissions).toContainEqual(
      expect.objectContaining({ name: 'webhook e500: sample', reason: 'it is too large' }),
    )
  })
})
