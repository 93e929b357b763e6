import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ImportComparison } from '#shared/model/import-comparison.ts'
import { ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const api = 'https://api.shop.example/v2'
const files = 'https://files.shop.example'
const hooks = 'https://hooks.shop.example'
const sandbox = 'https://sandbox.shop.example/v2'

const at = (url: string) => ({ servers: [{ url }] })
const operation = (operationId: string, rest: object = {}) => ({ operationId, responses: {}, ...rest })
const document = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: api }, { url: sandbox }],
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      upload: { type: 'apiKey', in: 'header', name: 'X-Upload-Key' },
    },
  },
  security: [{ token: [] }],
  paths: {
    '/orders': { get: operation('listOrders'), post: operation('createOrder') },
    '/files': { ...at(files), put: operation('putFile', { security: [{ upload: [] }] }) },
    '/pings': { post: operation('ping', { ...at(hooks), security: [] }) },
  },
  webhooks: { 'order.paid': { post: {} } },
}
const text = JSON.stringify(document)

const previewOf = async (rest: Rest, request: object) =>
  ImportPreview.parse((await rest('POST', '/import/preview', { text, ...request })).body)
const importOf = async (rest: Rest, request: object) =>
  ImportResult.parse((await rest('POST', '/import', { text, ...request })).body)

const Connections = z.array(
  z.object({
    connectionId: z.string(),
    name: z.string(),
    baseUrl: z.string().nullable(),
    auth: z.object({ name: z.string(), value: z.string() }).nullish(),
  }),
)
async function connections(rest: Rest) {
  const listed = Connections.parse((await rest('GET', '/connections')).body)
  return Promise.all(
    listed.map(async ({ connectionId, name, baseUrl }) => {
      const { body } = await rest('GET', `/connections/${connectionId}`)
      const { auth } = Connections.element.parse(body)
      const tools = z
        .array(z.object({ toolName: z.string() }))
        .parse((await rest('GET', `/connections/${connectionId}/actions`)).body)
      return { name, baseUrl, auth: auth?.value ?? null, tools: tools.map(({ toolName }) => toolName) }
    }),
  )
}
const byName = <One extends { readonly name: string }>(list: One[]) =>
  list.toSorted((one, other) => (one.name < other.name ? -1 : 1))

describe('an import of a document with several servers', () => {
  test('makes one connection for each, in one answer', async () => {
    const { rest } = await cleanService()
    const preview = await previewOf(rest, {})
    const offered = { chosen: true, alternative: false, connectionId: null }
    const auth = { in: 'header', name: 'Authorization', value: 'Bearer {{SHOP_TOKEN}}' }
    const key = { in: 'header', name: 'X-Upload-Key', value: '{{SHOP_X_UPLOAD_KEY}}' }
    expect(preview.servers).toEqual([
      { ...offered, url: api, operations: 2, alternative: true, name: 'Shop', auth },
      { ...offered, url: files, operations: 1, name: 'Shop (files.shop.example)', auth: key },
      { ...offered, url: hooks, operations: 1, name: 'Shop (hooks.shop.example)', auth: null },
      { ...offered, url: sandbox, operations: 2, chosen: false, alternative: true, name: 'Shop', auth: null },
    ])
    expect(preview.details.actions.map(({ toolName, server }) => [toolName, server])).toEqual([
      ['list_orders', api],
      ['create_order', api],
      ['put_file', files],
      ['ping', hooks],
    ])
    const result = await importOf(rest, {})
    expect(result).toMatchObject({ created: { actions: preview.actions.create, eventTypes: ['order.paid'] } })
    expect(result.connectionIds).toHaveLength(3)
    expect(result.connectionId).toBe(result.connectionIds[0])
    expect(byName(await connections(rest))).toEqual([
      { name: 'Shop', baseUrl: api, auth: 'Bearer {{SHOP_TOKEN}}', tools: ['list_orders', 'create_order'] },
      {
        ...{ name: 'Shop (files.shop.example)', baseUrl: files, auth: '{{SHOP_X_UPLOAD_KEY}}' },
        tools: ['put_file'],
      },
      { name: 'Shop (hooks.shop.example)', baseUrl: hooks, auth: null, tools: ['ping'] },
    ])
  })

  test('names every variable with each host that would get it', async () => {
    const { rest } = await cleanService()
    expect((await previewOf(rest, {})).environmentVariables).toEqual([
      { name: 'SHOP_TOKEN', host: 'api.shop.example' },
      { name: 'SHOP_X_UPLOAD_KEY', host: 'files.shop.example' },
    ])
  })

  test('creates nothing when it is imported again', async () => {
    const { rest } = await cleanService()
    const first = await importOf(rest, {})
    const again = await importOf(rest, {})
    expect(again).toMatchObject({ connectionIds: first.connectionIds, created: { actions: [] } })
    expect(await connections(rest)).toHaveLength(3)
    const { servers } = await previewOf(rest, {})
    expect(servers.slice(0, 3).map(({ connectionId }) => connectionId)).toEqual(first.connectionIds)
  })

  test('sends a variable that is asked for to the base URL alone', async () => {
    const { rest } = await cleanService()
    const shared = {
      ...document,
      paths: { ...document.paths, '/files': { ...at(files), put: operation('putFile') } },
    }
    const request = { text: JSON.stringify(shared), auth: { scheme: 'token', variable: 'MINE' } }
    expect((await previewOf(rest, request)).environmentVariables).toEqual([
      { name: 'MINE', host: 'api.shop.example' },
      { name: 'SHOP_TOKEN', host: 'files.shop.example' },
    ])
    const none = await previewOf(rest, { ...request, auth: null })
    expect(none.environmentVariables).toEqual([])
  })
})

describe('a choice of servers', () => {
  test('leaves servers out, and says so of their operations', async () => {
    const { rest } = await cleanService()
    const servers = { [files]: false, [`${hooks}/`]: false }
    const preview = await previewOf(rest, { servers })
    expect(preview.leftOut.map(({ operation, reason }) => [operation, reason])).toEqual([
      ['PUT /files', 'not_chosen'],
      ['POST /pings', 'not_chosen'],
    ])
    expect(preview.servers.map(({ chosen, operations }) => [chosen, operations])).toEqual([
      [true, 2],
      [false, 1],
      [false, 1],
      [false, 2],
    ])
    expect(await importOf(rest, { servers })).toMatchObject({
      connectionIds: [expect.any(String)],
      created: { actions: ['list_orders', 'create_order'] },
    })
  })

  test('can leave out the base URL, and its event types', async () => {
    const { rest } = await cleanService()
    const { created } = await importOf(rest, { servers: { [api]: false, [hooks]: false } })
    expect(created).toEqual({ actions: ['put_file'], eventTypes: [] })
    expect(await connections(rest)).toMatchObject([{ name: 'Shop (files.shop.example)', baseUrl: files }])
  })

  test('takes an alternative as the base URL', async () => {
    const { rest } = await cleanService()
    const { connection, servers } = await previewOf(rest, { servers: { [sandbox]: true } })
    expect(connection?.baseUrl).toBe(sandbox)
    expect(servers.map(({ url, chosen }) => [url, chosen])).toEqual([
      [sandbox, true],
      [files, true],
      [hooks, true],
      [api, false],
    ])
  })

  test('puts the operations of a server into an existing connection, which keeps its sign-in', async () => {
    const { rest } = await cleanService()
    const auth = { in: 'header', name: 'X-Upload-Key', value: '{{OWN}}' }
    const { connectionId } = await createConnection(rest, { name: 'Files', baseUrl: files, auth })
    const servers = { [files]: connectionId, [hooks]: false }
    const preview = await previewOf(rest, { servers })
    expect(preview.servers[1]).toMatchObject({ connectionId, name: 'Files' })
    const { connectionIds } = await importOf(rest, { servers })
    expect(connectionIds[1]).toBe(connectionId)
    expect(byName(await connections(rest))).toMatchObject([
      { name: 'Files', auth: '{{OWN}}', tools: ['put_file'] },
      { name: 'Shop', tools: ['list_orders', 'create_order'] },
    ])
  })

  test('is beside the target of the base URL', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { name: 'Mine', baseUrl: api })
    const { connectionIds } = await importOf(rest, { connectionId, servers: { [hooks]: false } })
    expect(connectionIds[0]).toBe(connectionId)
    expect((await connections(rest)).map(({ name }) => name).sort()).toEqual([
      'Mine',
      'Shop (files.shop.example)',
    ])
  })

  test.each([
    ['a server that the document does not have', { 'https://x.example': true }, 'servers.https://x.example'],
    ['an alternative beside the one taken', { [api]: true, [sandbox]: true }, `servers.${sandbox}`],
    ['nothing', { [api]: false, [files]: false, [hooks]: false }, 'servers'],
    ['a value that is none', { [files]: 7 }, `servers.${files}`],
  ])('is refused: %s', async (_what, servers, path) => {
    const { rest } = await cleanService()
    for (const route of ['/import/preview', '/import']) {
      const answer = await rest('POST', route, { text, servers })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ code: 'invalid_input', data: { issues: [{ path }] } })
    }
    expect(await connections(rest)).toEqual([])
  })

  test('is refused for a document without servers', async () => {
    const { rest } = await cleanService()
    const answer = await rest('POST', '/import/preview', {
      text: 'curl https://api.shop.example',
      servers: { [api]: true },
    })
    expect(answer.body).toMatchObject({
      code: 'invalid_input',
      data: { issues: [{ path: `servers.${api}` }] },
    })
  })

  test('does not find a connection that is missing, or in another workspace', async () => {
    const { rest } = await cleanService()
    const made = await rest('POST', '/workspaces', { name: 'Other' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(made.body)
    const { connectionId } = await createConnection(rest, { name: 'There', workspaceId })
    for (const url of [api, files])
      for (const id of [connectionId, 'conn_gone']) {
        const answer = await rest('POST', '/import', { text, servers: { [url]: id } })
        expect(answer.status).toBe(404)
        expect(answer.body).toMatchObject({ code: 'connection_not_found' })
      }
    expect(await connections(rest)).toMatchObject([{ name: 'There' }])
    const { connectionIds } = await importOf(rest, { workspaceId, servers: { [files]: connectionId } })
    expect(connectionIds[1]).toBe(connectionId)
  })

  test('stores nothing if one of its connections cannot take the actions', async () => {
    const { rest } = await cleanService()
    const auth = { in: 'query', name: 'key', value: '{{OWN}}' }
    const { connectionId } = await createConnection(rest, { name: 'Files', baseUrl: files, auth })
    const put = operation('putFileByKey')
    const clashing = { ...document, paths: { ...document.paths, '/files?key=1': { ...at(files), put } } }
    const request = { text: JSON.stringify(clashing), servers: { [files]: connectionId } }
    const answer = await rest('POST', '/import', request)
    expect(answer.status).toBe(400)
    expect(await connections(rest)).toMatchObject([{ name: 'Files', tools: [] }])
  })
})

describe('a connection of one server of a document', () => {
  const changed = JSON.stringify({
    ...document,
    paths: {
      ...document.paths,
      '/files/{id}': { ...at(files), delete: operation('deleteFile') },
      '/carts': { get: operation('listCarts') },
    },
  })
  const compare = async (rest: Rest, connectionId: string | undefined, given = changed) =>
    rest('POST', `/connections/${connectionId}/import/compare`, { text: given })

  test('is compared with the operations of that server, and updated with them', async () => {
    const { rest } = await cleanService()
    const { connectionIds } = await importOf(rest, {})
    const names = await Promise.all(
      connectionIds.map(async id => {
        const { added, removed, changed: differing } = ImportComparison.parse((await compare(rest, id)).body)
        expect([removed, differing]).toEqual([[], []])
        return added.map(({ name }) => name)
      }),
    )
    expect(names).toEqual([['list_carts'], ['delete_file'], []])
    const [, filesId] = connectionIds
    const apply = ['DELETE /files/{id}']
    const update = await rest('POST', `/connections/${filesId}/import/update`, { text: changed, apply })
    expect(update.body).toMatchObject({ added: ['delete_file'] })
    expect(ImportComparison.parse((await compare(rest, filesId)).body)).toMatchObject({ added: [], same: 2 })
  })

  test('is not compared with a document that no longer has the server', async () => {
    const { rest } = await cleanService()
    const { connectionIds } = await importOf(rest, {})
    const moved = text.replaceAll(files, 'https://cdn.shop.example')
    const answer = await compare(rest, connectionIds[1], moved)
    expect(answer.body).toMatchObject({
      code: 'invalid_document',
      data: {
        issues: expect.arrayContaining([
          expect.objectContaining({
            message: `The document no longer has operations at ${files}, from which this connection was imported. Import it into a new connection.`,
          }),
        ]),
      },
    })
    expect(ImportComparison.parse((await compare(rest, connectionIds[0], moved)).body)).toMatchObject({
      same: 3,
    })
  })

  test('is compared as with the alternative that was chosen', async () => {
    const { rest } = await cleanService()
    const own = {
      ...document,
      paths: { ...document.paths, '/clock': { post: operation('setClock', at(sandbox)) } },
    }
    const given = JSON.stringify(own)
    const { connectionId, created } = await importOf(rest, { text: given, servers: { [sandbox]: true } })
    expect(created.actions).toContain('set_clock')
    expect(ImportComparison.parse((await compare(rest, connectionId, given)).body)).toMatchObject({
      ...{ added: [], removed: [], same: 4 },
    })
  })
})
