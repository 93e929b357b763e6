import { describe, expect, test } from 'vitest'
import { readImport, runImportJob } from '#main/importing/import-job.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import type { ImportChoice } from '#shared/model/import-operation.ts'
import { ImportPreview } from '#shared/model/import-preview.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection } from './fixtures.ts'

const path = (name: string, schema: object, more: object = {}) => ({
  ...{ name, in: 'path', required: true, schema },
  ...more,
})
const shop = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://api.example.com/v2' }],
  components: {
    parameters: {
      project: path('projectId', { type: 'string', examples: ['prj_42'] }, { description: 'The project.' }),
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
  security: [{ key: [] }],
  paths: {
    '/status': { get: { operationId: 'status', tags: ['Health'] } },
    '/projects/{projectId}/orders': {
      parameters: [{ $ref: '#/components/parameters/project' }],
      get: { operationId: 'listOrders', tags: ['Orders'] },
      post: {
        summary: 'Create order',
        tags: ['Orders', 'Writes'],
        parameters: [
          { name: 'notify', in: 'query', required: true, schema: { type: 'boolean' } },
          { name: 'expand', in: 'query', schema: { type: 'string' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['sku'],
                properties: {
                  id: { type: 'string', readOnly: true },
                  sku: { type: 'string' },
                  index: { type: 'integer' },
                  lines: { type: 'array', items: {} },
                },
              },
            },
          },
        },
      },
    },
    '/projects/{projectId}/orders/{order-id}': {
      get: {
        parameters: [
          path('order-id', { type: 'integer', enum: [1, 2], default: 1 }),
          { $ref: '#/components/parameters/project' },
        ],
      },
      trace: {},
    },
    '/elsewhere/{x}': { servers: [{ url: 'wss://other.example' }], get: {} },
  },
}

const variables = new Map()

function preview(placeholders: Constants = {}, choose: ImportChoice = {}, document: object = shop) {
  return previewInto(newConfig(nowMs), newConnection, placeholders, choose, document)
}

function previewInto(
  config: ReturnType<typeof newConfig>,
  target: { connectionId: string | null; workspaceId: null },
  placeholders: Constants,
  choose: ImportChoice,
  document: object,
) {
  const text = JSON.stringify(document)
  const job = {
    kind: 'preview',
    text,
    format: 'openapi',
    placeholders,
    choose,
    target,
    config,
    variables,
  } as const
  return ImportPreview.parse(JSON.parse(runImportJob({ ...job, baseUrl: null })))
}

test('lists each placeholder with its operations and what the document says about it', () => {
  const { placeholders } = preview()
  expect(placeholders).toEqual([
    { name: 'projectId', operations: 3, example: 'prj_42', description: 'The project.' },
    { name: 'order-id', operations: 1, default: '1', enum: ['1', '2'] },
  ])
  expect(preview({ projectId: 'x' }).placeholders).toEqual(placeholders)
})

test('makes parameters of placeholders without a constant', () => {
  const document = {
    ...shop,
    paths: {
      '/a/:x/{y z}/<w>-{v}': { get: { operationId: 'a', parameters: [path('x', { enum: [1, 2] })] } },
    },
  }
  const { details } = preview({ w: 'a/b' }, {}, document)
  expect(details.actions).toMatchObject([{ path: '/a/{x}/{y_z}/a%2Fb-{v}', isEnabled: true }])
  const parsed = readImport(JSON.stringify(document), 'openapi', null, { w: 'a/b' })
  expect(parsed.content?.actions[0]?.fields.parameters).toEqual([
    {
      ...{ name: 'x', type: 'number', description: 'One of: 1, 2.', required: true, in: 'path' },
      schema: { enum: [1, 2] },
    },
    ...['y_z', 'v'].map(name => ({
      ...{ name, type: 'string', description: `The value of ${name}.`, required: true, in: 'path' },
    })),
  ])
})

test('says of each operation that becomes no action why', () => {
  const { leftOut, leftOutTotal, actions } = preview()
  expect(actions.create).toEqual([
    'status',
    'list_orders',
    'create_order',
    'get_projects_project_id_orders_order_id',
  ])
  expect(leftOut.map(({ operation, reason, message }) => [operation, reason, message])).toEqual([
    [
      'TRACE /projects/{projectId}/orders/{order-id}',
      'method',
      'actions support only the methods GET, POST, PUT, PATCH, DELETE',
    ],
    [
      'GET /elsewhere/{x}',
      'server',
      'the server wss://other.example cannot be a base URL: Write an absolute URL: https://api.example.com',
    ],
  ])
  expect(leftOutTotal).toBe(2)
})

test('fills in a constant everywhere, percent-encoded', () => {
  const { details } = preview({ projectId: 'a/b' })
  expect(details.actions).toMatchObject([
    { toolName: 'status', operation: 'GET /status', tags: ['Health'], path: '/status' },
    { toolName: 'list_orders', operation: 'GET /projects/{projectId}/orders', isEnabled: true },
    { toolName: 'create_order', path: '/projects/a%2Fb/orders', tags: ['Orders', 'Writes'] },
    { path: '/projects/a%2Fb/orders/{order-id}', isEnabled: true },
  ])
})

test('warns of a constant that no path needs', () => {
  expect(preview({ projectID: 'x' }).issues).toContainEqual(
    expect.objectContaining({
      severity: 'warning',
      message: '"placeholders" contains projectID, but no path of the document has this placeholder.',
    }),
  )
})

test('names tools the same with and without constants', () => {
  const twice = {
    ...shop,
    paths: {
      '/a/{x}/list': { get: { summary: 'List' }, put: {} },
      '/list': { get: { summary: 'List' } },
      '/b/{y}/list': { get: { summary: 'List' } },
    },
  }
  const names = (constants: Constants) => {
    const { details, leftOut } = preview(constants, {}, twice)
    expect(leftOut).toEqual([])
    return new Map(details.actions.map(one => [one.operation, one.toolName]))
  }
  expect(Object.fromEntries(names({}))).toEqual({
    'GET /list': 'list',
    'GET /a/{x}/list': 'list_2',
    'PUT /a/{x}/list': 'put_a_x_list',
    'GET /b/{y}/list': 'list_3',
  })
  for (const constants of [{ x: '1' }, { y: '1' }, { x: '1', y: '2' }])
    expect(names(constants)).toEqual(names({}))
})

test.each<[string, ImportChoice, string[]]>([
  ['a name', { include: ['GET /status'] }, ['status']],
  ['a tag', { tags: ['Orders'] }, ['list_orders', 'create_order']],
  ['a tag or a name', { include: ['GET /status'], tags: ['Writes'] }, ['status', 'create_order']],
  [
    'exclusion',
    { exclude: ['GET /status'] },
    ['list_orders', 'create_order', 'get_projects_project_id_orders_order_id'],
  ],
  [
    'a tag without a name',
    { tags: ['Orders'], exclude: ['GET /projects/{projectId}/orders'] },
    ['create_order'],
  ],
  ['nothing', { include: [] }, []],
])('chooses operations by %s', (_by, choose, created) => {
  const { actions, leftOut, valid, unsupported, leftOutTotal } = preview({ projectId: 'x' }, choose)
  expect(valid).toBe(true)
  expect(actions.create).toEqual(created)
  expect(leftOutTotal).toBe(6 - created.length)
  const others = leftOut.filter(({ reason }) => reason === 'not_chosen').map(({ operation }) => operation)
  expect(others.length).toBeGreaterThan(0)
  // No remark is about what was not chosen.
  expect(unsupported.filter(({ name }) => others.some(other => name.split(': ')[0] === other))).toEqual([])
})

test('an unknown operation or tag in a choice is an error, an unknown exclusion a warning', () => {
  const { valid, issues } = preview({}, { include: ['GET /x'], tags: ['X'], exclude: ['PUT /y'] })
  expect(valid).toBe(false)
  expect(issues.filter(({ message }) => message.startsWith('"choose'))).toMatchObject([
    {
      severity: 'error',
      message: '"choose.include" contains GET /x, but the document has no such operation.',
    },
    {
      severity: 'error',
      message:
        '"choose.tags" contains X, but the document has no such tag. Its tags are Health, Orders and Writes.',
    },
    {
      severity: 'warning',
      message: '"choose.exclude" contains PUT /y, but the document has no such operation.',
    },
  ])
})

test('an unknown tag names the first of very many tags', () => {
  const first = (count: number) =>
    preview({}, { tags: ['X'] }, { ...shop, paths: { '/a': { get: { tags: tagsFrom(0, count) } }, ...more } })
      .issues[0]?.message
  const tagsFrom = (start: number, count: number) =>
    Array.from({ length: count }, (_, at) => `T${start + at}`)
  const more = { '/b': { get: { tags: tagsFrom(20, 10) } } }
  expect(first(20)).toMatch(/ Its tags are T0, T1, .*, T18, T19 and 10 others\.$/)
  expect(preview({}, { tags: ['X'] }, { ...shop, paths: {} }).issues[0]?.message).toBe(
    '"choose.tags" contains X, but the document has no tags.',
  )
})

describe('a tag chooses event types too', () => {
  const withHooks = (webhooks: object) => ({ ...shop, webhooks })
  const chosen = (document: object, choose: ImportChoice = { tags: ['Orders'] }) => {
    const { valid, eventTypes, issues } = preview({}, choose, document)
    expect(valid).toBe(true)
    return { events: eventTypes.create, warned: issues.map(({ message }) => message) }
  }

  test('those of webhooks that have it', () => {
    const webhooks = {
      paid: { post: { tags: ['Orders'] } },
      sent: { post: { tags: ['Parcels'] } },
      other: { post: {} },
    }
    expect(chosen(withHooks(webhooks)).events).toEqual(['paid'])
    expect(chosen(withHooks(webhooks), { tags: ['Parcels'] }).events).toEqual(['sent'])
    expect(chosen(withHooks(webhooks), { include: ['GET /status'] }).events).toEqual([
      'paid',
      'sent',
      'other',
    ])
  })

  test('those of callbacks, whose operation has it', () => {
    const callbacks = { done: { '{$request.body#/url}': { post: {} } } }
    const paths = {
      '/jobs': { post: { tags: ['Orders'], callbacks } },
      '/checks': {
        post: { tags: ['Health'], callbacks: { checked: { '{$request.body#/url}': { post: {} } } } },
      },
    }
    expect(chosen({ ...shop, paths }).events).toEqual(['done'])
  })

  test('takes all of a document whose webhooks have no tags, and says so', () => {
    const { events, warned } = chosen(withHooks({ paid: { post: {} }, sent: { post: {} } }))
    expect(events).toEqual(['paid', 'sent'])
    expect(warned).toContain(
      'The webhooks of the document have no tags, so all 2 event types are taken. Choose them with "only.eventTypes".',
    )
    expect(chosen(shop).warned).not.toContainEqual(expect.stringContaining('webhooks'))
  })
})

test('an error in an action that is not chosen does not prevent the import of the others', () => {
  const document = JSON.stringify({
    connection: { name: 'A', baseUrl: 'https://a.example' },
    actions: [
      { name: 'One', description: 'One.', method: 'GET', path: '/one' },
      { name: 'Two', description: 'Two.', method: 'GET', path: '/two', headers: { Host: 'x' } },
    ],
  })
  const job = { kind: 'preview', text: document, format: 'document', placeholders: {}, variables } as const
  const choose = { include: ['GET /one'] }
  const given = { ...job, choose, target: newConnection, config: newConfig(nowMs), baseUrl: null }
  const { actions } = ImportPreview.parse(JSON.parse(runImportJob(given)))
  expect(actions.create).toEqual(['one'])
})

const curl = (command: string, placeholders: Constants = {}) => {
  const job = { kind: 'preview', text: command, format: 'curl', placeholders, choose: {}, variables } as const
  const given = { ...job, target: newConnection, config: newConfig(nowMs), baseUrl: null }
  return ImportPreview.parse(JSON.parse(runImportJob(given)))
}

test.each([
  ['https://a.example/orders/{order-id}/lines?x=1', 'GET /orders/{order-id}/lines', 'order-id'],
  ['https://a.example/orders/:id', 'GET /orders/:id', 'id'],
  ['https://a.example/<shop>/orders', 'GET /<shop>/orders', 'shop'],
])('takes the placeholder of %s in a curl command as a parameter or a constant', (url, operation, name) => {
  const open = curl(`curl '${url}'`)
  expect(open).toMatchObject({ valid: true, leftOut: [], placeholders: [{ name, operations: 1 }] })
  const [asParameter] = open.details.actions
  expect(asParameter).toMatchObject({ operation, isEnabled: true, placeholders: [{ name, as: 'parameter' }] })
  expect(asParameter?.path).toBe(operation.slice(4).replace(/[{<:][\w-]+[}>]?/, `{${name}}`))
  const filled = curl(`curl '${url}'`, { [name]: 'a/b' })
  const [asConstant] = filled.details.actions
  expect(asConstant).toMatchObject({
    ...{ operation, toolName: asParameter?.toolName, isEnabled: true },
    placeholders: [{ name, as: 'constant' }],
  })
  expect(asConstant?.path).toBe(operation.slice(4).replace(/[{<:][\w-]+[}>]?/, 'a%2Fb'))
})

test('sends a placeholder and a field of one name in their places', () => {
  const command = `curl -X PATCH 'https://a.example/v1/orders/{id}' --json '{"id":"Hi","n":1}'`
  expect(readImport(command, 'curl', null).content?.actions[0]?.fields).toMatchObject({
    path: '/v1/orders/{id}',
    parameters: [
      { name: 'id', in: 'path' },
      { name: 'id_2', wireName: 'id' },
      { name: 'n', type: 'number' },
    ],
  })
})

test('refuses a pattern of curl, which is not a placeholder', () => {
  for (const path of ['{a,b}', '[1-3]', '{{id}}', '{}'])
    expect(curl(`curl 'https://a.example/${path}'`).valid).toBe(false)
})

test('lists the first of very many operations left out, and states their number', () => {
  const paths = Object.fromEntries(
    Array.from({ length: 15_000 }, (_none, index) => [
      `/things/{id}/${'x'.repeat(200)}/${index}`,
      { trace: {} },
    ]),
  )
  const { leftOut, leftOutTotal } = preview({}, {}, { ...shop, paths })
  expect(leftOutTotal).toBe(15_000)
  expect(leftOut.length).toBeLessThan(10_001)
  expect(JSON.stringify(leftOut).length).toBeLessThan(4 * 1024 * 1024)
})
