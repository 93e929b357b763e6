import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Credentials } from '#shared/model/connection.ts'
import { ImportComparison, ImportSource } from '#shared/model/import-comparison.ts'
import { ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { serve } from '../outbound/support.ts'
import { isSigned, startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, type Rest } from '../support/rest-client.ts'
import { sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const document = {
  version: 1,
  connection: { name: 'Shop', baseUrl: 'https://api.example.com', persistEvents: true },
  actions: [
    {
      name: 'Find order',
      description: 'Finds an order.',
      path: '/find',
      headers: { 'X-Key': '{{SHOP_KEY}}' },
    },
  ],
  events: [{ eventName: 'order.created', samplePayload: { id: 7 } }],
}
const text = JSON.stringify(document)
const ActionIds = z.array(z.object({ actionId: z.string() }))
const Issues = z.object({ data: z.object({ issues: ImportPreview.shape.issues }) })

const openApi = `openapi: 3.0.0
info: { title: Pets, version: '1' }
servers: [{ url: 'https://api.pets.example/v2' }]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
security: [{ token: [] }]
paths:
  /pets:
    get: { operationId: listPets, responses: {} }
    put:
      operationId: putPet
      parameters: [{ name: session, in: cookie, required: true, schema: { type: string } }]
      responses: {}
  /pets/{id}:
    head: { operationId: getPet, responses: {} }
`
const imported = { text: openApi, format: 'openapi' }

describe('a choice of what is imported', () => {
  test('takes only the actions and event types that it names, and again creates nothing', async () => {
    const { rest } = await cleanService()
    const more = [{ eventName: 'order.paid' }, ...document.events]
    const only = { actions: [], eventTypes: ['order.paid'] }
    const request = { text: JSON.stringify({ ...document, events: more }), only }
    const preview = ImportPreview.parse((await rest('POST', '/import/preview', request)).body)
    expect(preview).toMatchObject({ valid: true, eventTypes: { create: ['order.paid'] } })
    expect(preview.environmentVariables).toEqual([])
    const first = ImportResult.parse((await rest('POST', '/import', request)).body)
    expect(first.created).toEqual({ actions: [], eventTypes: ['order.paid'] })
    const again = ImportResult.parse((await rest('POST', '/import', request)).body)
    expect(again).toMatchObject({ connectionId: first.connectionId, created: { eventTypes: [] } })
  })

  test('that names an entry the document does not have is an error', async () => {
    const { rest } = await cleanService()
    const only = { actions: ['find_ordr'] }
    const answer = await rest('POST', '/import', { text, only })
    expect(answer.body).toMatchObject({ code: 'invalid_document' })
    expect(answer.text).toContain('find_ordr, but the document has no such action')
    expect((await rest('GET', '/connections')).body).toEqual([])
  })

  test('gives an existing connection the base URL of the document only where it has none', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { name: 'Shop', baseUrl: null })
    const request = { ...imported, connectionId }
    const before = ImportPreview.parse((await rest('POST', '/import/preview', request)).body)
    expect(before.connection?.baseUrl).toBeNull()
    expect(before.details.documentBaseUrl).toBe('https://api.pets.example/v2')
    const used = ImportPreview.parse(
      (await rest('POST', '/import/preview', { ...request, useBaseUrl: true })).body,
    )
    expect(used.environmentVariables).toEqual([{ name: 'PETS_TOKEN', host: 'api.pets.example' }])
    expect(used.issues.map(({ message }) => message).join()).not.toContain('no base URL')
    await rest('POST', '/import', { ...request, useBaseUrl: true })
    const shop = async () => (await rest('GET', `/connections/${connectionId}`)).body
    expect(await shop()).toMatchObject({ baseUrl: 'https://api.pets.example/v2', actionCount: 2 })

    await rest('PATCH', `/connections/${connectionId}`, { baseUrl: 'https://other.example' })
    await rest('POST', '/import', { ...request, useBaseUrl: true })
    expect(await shop()).toMatchObject({ baseUrl: 'https://other.example' })
  })
})

describe('a preview', () => {
  test('tells an action that is imported switched off from an operation that is not imported', async () => {
    const { rest } = await cleanService()
    const preview = ImportPreview.parse((await rest('POST', '/import/preview', imported)).body)
    expect(preview.unsupported.map(({ name, toolName }) => [name, toolName])).toEqual([
      ['PUT /pets: session', 'put_pet'],
      ['HEAD /pets/{id}', null],
    ])
    expect(preview.details.actions.map(({ toolName, isEnabled }) => [toolName, isEnabled])).toEqual([
      ['list_pets', true],
      ['put_pet', false],
    ])
  })

  test('asks for a variable to be set only until it is', async () => {
    const { rest } = await cleanService()
    const asked = async (path: string) => {
      const { body } = await rest('POST', path, imported)
      const { issues } = z.object({ issues: ImportPreview.shape.issues }).parse(body)
      return issues.flatMap(({ variable = [] }) => variable)
    }
    expect(await asked('/import/preview')).toEqual(['PETS_TOKEN'])
    await rest('PUT', '/environment/PETS_TOKEN', { value: 'value-canary' })
    expect(await asked('/import/preview')).toEqual([])
    const result = ImportResult.parse((await rest('POST', '/import', imported)).body)
    expect(result.warnings.filter(({ variable }) => variable !== undefined)).toEqual([])
  })

  test('of a URL is the preview of the document there', async () => {
    const { rest } = await cleanService()
    const { url } = await serve((_request, response) => response.end(text))
    const answer = await rest('POST', '/import/preview', { url })
    expect(answer).toEqual(await rest('POST', '/import/preview', { text }))
    expect(await rest('POST', '/import', { url })).toMatchObject({ status: 200 })
    expect(await rest('POST', '/import/fetch', { url })).toMatchObject({ status: 200, body: { text } })
  })

  test('needs a text or a valid URL, and answers why a document cannot be fetched', async () => {
    const { rest } = await cleanService()
    const post = (body: object) => rest('POST', '/import/preview', body)
    const issue = (path: string) => ({ code: 'invalid_input', data: { issues: [{ path }] } })
    expect(await post({})).toMatchObject({ status: 400, body: issue('text') })
    for (const url of ['shop.example/openapi.json', 'file:///etc/passwd', 'https://a:b@shop.example'])
      expect(await post({ url })).toMatchObject({ status: 400, body: issue('url') })
    const header = { name: 'Content-Length', value: '1' }
    expect(await post({ url: 'https://shop.example', header })).toMatchObject({
      status: 400,
      body: issue('header.name'),
    })
    expect(await post({ url: 'http://169.254.169.254/' })).toMatchObject({
      status: 400,
      body: { code: 'source_blocked' },
    })
  })

  test('says what an import would do, and writes nothing', async () => {
    const { rest } = await cleanService()
    const answer = await rest('POST', '/import/preview', { text })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      valid: true,
      recognized: expect.objectContaining({ format: 'document', title: 'Shop' }),
      issues: [],
      connection: {
        connectionId: null,
        name: 'Shop',
        baseUrl: 'https://api.example.com',
        persistEvents: true,
      },
      actions: { create: ['find_order'], skip: [] },
      eventTypes: { create: ['order.created'], skip: [] },
      environmentVariables: [{ name: 'SHOP_KEY', host: 'api.example.com' }],
      unsupported: [],
      placeholders: [],
      leftOut: [],
      leftOutTotal: 0,
      auth: [],
      servers: [],
      details: {
        documentBaseUrl: null,
        actions: [
          {
            toolName: 'find_order',
            operation: 'POST /find',
            tags: [],
            method: 'POST',
            path: '/find',
            isEnabled: true,
            environmentVariables: ['SHOP_KEY'],
            ...{ parameters: 0, placeholders: [] },
            line: 1,
            skippedBecause: null,
          },
        ],
        eventTypes: [{ eventName: 'order.created', variables: 1, line: 1, skippedBecause: null }],
        environmentVariables: [{ name: 'SHOP_KEY', headers: ['X-Key'], actions: 1, sources: [] }],
      },
    })
    expect((await rest('GET', '/connections')).body).toEqual([])
  })

  test('tells of each entry its line, and of a duplicate what it repeats', async () => {
    const { rest } = await cleanService()
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', { text })).body)
    const more = JSON.stringify(
      {
        actions: [
          ...document.actions,
          { name: 'Cancel', description: 'Cancels an order.', path: '/cancel', method: 'DELETE' },
          { name: 'Cancel', description: 'Cancels it again.', path: '/cancel/again' },
        ],
        events: [{ eventName: 'order.paid' }, ...document.events, { eventName: 'order.paid' }],
      },
      null,
      1,
    )
    const answer = await rest('POST', '/import/preview', { text: more, connectionId })
    const { details, actions, eventTypes } = ImportPreview.parse(answer.body)
    const lineOf = (part: string) => more.slice(0, more.indexOf(part)).split('\n').length - 1
    const [cancel, again] = [lineOf('"Cancels an order."') - 1, lineOf('"Cancels it again."') - 1]
    expect(details.actions).toMatchObject([
      { toolName: 'find_order', line: 3, skippedBecause: { kind: 'present' } },
      { toolName: 'cancel', method: 'DELETE', line: cancel, skippedBecause: null },
      {
        toolName: 'cancel',
        method: 'POST',
        path: '/cancel/again',
        line: again,
        skippedBecause: { kind: 'repeated', line: cancel },
      },
    ])
    const [first, second, third] = details.eventTypes
    expect([first, second, third]).toMatchObject([
      { eventName: 'order.paid', variables: 0, skippedBecause: null },
      { eventName: 'order.created', variables: 1, skippedBecause: { kind: 'present' } },
      { eventName: 'order.paid', skippedBecause: { kind: 'repeated', line: first?.line } },
    ])
    expect(actions).toEqual({ create: ['cancel'], skip: ['find_order', 'cancel'] })
    expect(eventTypes).toEqual({ create: ['order.paid'], skip: ['order.created', 'order.paid'] })
  })

  test('tells where a variable is set, of the process where it may be used', async () => {
    const { rest } = await startService({ service: { env: { SHOP_KEY: 'value-canary' } } })
    const sources = async () => {
      const { text: answer, body } = await rest('POST', '/import/preview', { text })
      expect(answer).not.toContain('canary')
      return ImportPreview.parse(body).details.environmentVariables[0]?.sources
    }
    await rest('PATCH', '/settings', { environmentPatterns: ['OTHER_*'] })
    expect(await sources()).toEqual([])
    await rest('PATCH', '/settings', { environmentPatterns: ['SHOP_*'] })
    expect(await sources()).toEqual(['process'])
    await rest('PUT', '/environment/SHOP_KEY', { value: 'another-canary' })
    expect(await sources()).toEqual(['settings', 'process'])
  })

  test('of a text that is not a document is an answer like any other', async () => {
    const { rest } = await cleanService()
    const answer = await rest('POST', '/import/preview', { text: '{\n  "actions": [],\n}' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      valid: false,
      issues: [{ path: '', line: 2, column: 16, severity: 'error', message: /trailing comma/i }].map(
        issue => ({
          ...issue,
          message: expect.stringMatching(issue.message),
        }),
      ),
      connection: null,
      actions: { create: [], skip: [] },
    })
  })

  test.each([
    ['openapi', 'openapi-pets.input.yaml', 'HEAD /pets'],
    ['curl', 'curl-post.input.txt', 'body field code'],
  ])('of %s lists what cannot be carried', async (format, file, name) => {
    const { rest } = await cleanService()
    const input = readFileSync(join(import.meta.dirname, '../fixtures/import', file), 'utf8')
    const preview = ImportPreview.parse((await rest('POST', '/import/preview', { text: input, format })).body)
    expect(preview.valid).toBe(true)
    expect(preview.unsupported.map(one => one.name)).toContain(name)
    const { body } = await rest('POST', '/import', { text: input, format })
    expect(ImportResult.parse(body).created.actions).toEqual(preview.actions.create)
  })

  test('of the largest text fits into a request', async () => {
    const { rest } = await cleanService()
    const words = 'word '.repeat(4 * 1024 * 1024)
    const large = JSON.stringify({ ...document, note: words }).slice(0, 16 * 1024 * 1024 + 1)
    const answer = await rest('POST', '/import/preview', { text: large })
    expect(answer.status).toBe(200)
    expect(ImportPreview.parse(answer.body).issues).toMatchObject([
      { message: 'The text is larger than 16 MiB.' },
    ])
  })
})

describe('an import', () => {
  test('creates a connection with all that is in the document, with credentials of its own', async () => {
    const { rest } = await cleanService()
    const answer = await rest('POST', '/import', { text })
    expect(answer.status).toBe(200)
    const { connectionId } = ImportResult.parse(answer.body)
    expect(answer.body).toEqual({
      connectionId,
      connectionIds: [connectionId],
      created: { actions: ['find_order'], eventTypes: ['order.created'] },
      skipped: { actions: [], eventTypes: [] },
      warnings: [],
    })
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
      workspaceId: 'default',
      name: 'Shop',
      baseUrl: 'https://api.example.com',
      persistEvents: true,
      enabled: true,
      actionCount: 1,
      eventTypeCount: 1,
    })
    expect((await rest('GET', `/connections/${connectionId}/actions`)).body).toMatchObject([
      { toolName: 'find_order', method: 'POST', isEnabled: true, headers: { 'X-Key': '{{SHOP_KEY}}' } },
    ])
    expect((await rest('GET', `/connections/${connectionId}/credentials`)).body).toMatchObject({
      signingSecret: expect.stringMatching(/^whsec_/),
    })
  })

  test('into a connection twice creates nothing the second time, and survives a restart', async () => {
    const { rest, restart } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const first = await rest('POST', '/import', { text, connectionId })
    expect(first.body).toMatchObject({
      connectionId,
      connectionIds: [connectionId],
      created: { actions: ['find_order'], eventTypes: ['order.created'] },
      warnings: [{ path: '' }, { path: 'connection', severity: 'warning', line: 1, column: 27 }],
    })
    await restart()
    const second = await rest('POST', '/import', { text, connectionId })
    expect(second.body).toMatchObject({
      connectionId,
      created: { actions: [], eventTypes: [] },
      skipped: { actions: ['find_order'], eventTypes: ['order.created'] },
    })
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
      name: 'Shop',
      baseUrl: null,
      actionCount: 1,
      eventTypeCount: 1,
    })
  })

  test('of a full document twice creates nothing the second time, until something of it is missing', async () => {
    const { rest } = await cleanService()
    const first = await rest('POST', '/import', { text })
    const { connectionId } = z.object({ connectionId: z.string() }).parse(first.body)
    const preview = await rest('POST', '/import/preview', { text })
    expect(preview.body).toMatchObject({
      valid: true,
      connection: { connectionId },
      actions: { create: [], skip: ['find_order'] },
      issues: [
        { path: 'connection.name', message: expect.stringContaining('with all of this already exists') },
      ],
    })
    expect((await rest('POST', '/import', { text })).body).toMatchObject({
      connectionId,
      created: { actions: [], eventTypes: [] },
      skipped: { actions: ['find_order'], eventTypes: ['order.created'] },
    })
    expect((await rest('GET', '/connections')).body).toHaveLength(1)

    const [action] = z
      .array(z.object({ actionId: z.string() }))
      .parse((await rest('GET', `/connections/${connectionId}/actions`)).body)
    await rest('DELETE', `/connections/${connectionId}/actions/${action?.actionId}`)
    const third = await rest('POST', '/import', { text })
    expect(third.body).toMatchObject({ created: { actions: ['find_order'] } })
    expect(third.body).not.toMatchObject({ connectionId })
  })

  test('with errors is 400 with all issues and their places, and creates nothing', async () => {
    const { rest } = await cleanService()
    const wrong =
      '{\n  "connection": {"name": "Shop"},\n  "actions": [{"name": "A", "path": "/x/{id}"}],\n  "token": "value-canary"\n}'
    const answer = await rest('POST', '/import', { text: wrong })
    expect(answer.status).toBe(400)
    expect(errorCodeOf(answer.body)).toBe('invalid_document')
    expect(Issues.parse(answer.body).data.issues).toMatchObject([
      { path: 'actions[0].description', line: 3, column: 15, severity: 'error' },
      { path: 'actions[0].path', line: 3, column: 37, severity: 'error' },
      { path: 'token', line: 4, column: 3, severity: 'error' },
    ])
    expect(answer.text).not.toContain('canary')
    expect((await rest('GET', '/connections')).body).toEqual([])
  })

  test('into what is not there is 404', async () => {
    const { rest } = await cleanService()
    for (const path of ['/import', '/import/preview']) {
      const lost = await rest('POST', path, { text, connectionId: 'conn_none' })
      expect([lost.status, errorCode(lost)]).toEqual([404, 'connection_not_found'])
      const nowhere = await rest('POST', path, { text, workspaceId: 'ws_none' })
      expect([nowhere.status, errorCode(nowhere)]).toEqual([404, 'workspace_not_found'])
      expect((await rest('POST', path, { text, format: 'yaml' })).status).toBe(400)
      expect((await rest('POST', path, {})).status).toBe(400)
    }
    expect((await rest('GET', '/connections/conn_none/export')).status).toBe(404)
  })

  test('goes to the workspace that is named', async () => {
    const { rest } = await cleanService()
    const { body } = await rest('POST', '/workspaces', { name: 'Team' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', { text, workspaceId })).body)
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({ workspaceId })
  })
})

describe('an export', () => {
  test('is the document that the import was made of, and gives it again', async () => {
    const { rest } = await cleanService()
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', { text })).body)
    const exported = await rest('GET', `/connections/${connectionId}/export`)
    expect(exported.status).toBe(200)
    expect(exported.body).toEqual({
      version: 1,
      connection: document.connection,
      actions: [
        {
          ...document.actions[0],
          toolName: 'find_order',
          method: 'POST',
          parameters: [],
          responseMapping: null,
          isEnabled: true,
        },
      ],
      events: [{ eventName: 'order.created', label: null, samplePayload: { id: 7 } }],
    })
    const again = ImportResult.parse((await rest('POST', '/import', { text: exported.text })).body)
    expect((await rest('GET', `/connections/${again.connectionId}/export`)).text).toBe(exported.text)
  })

  test('keeps odd keys of samples, and the order of all others', async () => {
    const { rest } = await cleanService()
    const sample = '{"zebra":1,"__proto__":{"polluted":true},"constructor":2,"apple":[{"b":1,"a":2}]}'
    const odd = `{"connection":{"name":"Odd"},"events":[{"eventName":"a","samplePayload":${sample}}]}`
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', { text: odd })).body)
    const { text: exported } = await rest('GET', `/connections/${connectionId}/export`)
    expect(exported).toContain(`"samplePayload":${sample}`)
  })
})

function errorCodeOf(body: unknown): string {
  return z.object({ code: z.string() }).parse(body).code
}

describe('an operation whose path has placeholders', () => {
  test('is an action that fills in constants and arguments, signed', async () => {
    const { rest } = await cleanService()
    const system = await startExternalSystem()
    const properties = { note: { type: 'string' }, lines: { type: 'array' }, 'order-id': { type: 'integer' } }
    const document = {
      openapi: '3.1.0',
      info: { title: 'Orders', version: '1' },
      servers: [{ url: `${system.url}/v2` }],
      paths: {
        '/shops/{shop}/orders/{order-id}': {
          patch: {
            operationId: 'changeOrder',
            parameters: [{ name: 'mode', in: 'query', required: true, schema: { type: 'string' } }],
            requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
          },
        },
      },
    }
    const request = { text: JSON.stringify(document), format: 'openapi', placeholders: { shop: 'a/b' } }
    const { details } = ImportPreview.parse((await rest('POST', '/import/preview', request)).body)
    expect(details.actions).toMatchObject([
      {
        operation: 'PATCH /shops/{shop}/orders/{order-id}',
        placeholders: [
          { name: 'shop', as: 'constant' },
          { name: 'order-id', as: 'parameter' },
        ],
      },
    ])
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', request)).body)
    const at = `/connections/${connectionId}`
    const [action] = ActionIds.parse((await rest('GET', `${at}/actions`)).body)
    const given = { 'order-id': 'ORD 1/2', mode: 'fast', note: 'Hello', lines: [1, 2], 'order-id_2': 7 }
    const { body } = await rest('POST', `${at}/actions/${action?.actionId}/test`, { arguments: given })
    expect(body).toMatchObject({ ok: true })
    const [received] = system.requests
    expect(received).toMatchObject({
      method: 'PATCH',
      url: '/v2/shops/a%2Fb/orders/ORD%201%2F2?mode=fast',
      body: '{"note":"Hello","lines":[1,2],"order-id":7}',
    })
    const { signingSecret } = Credentials.parse((await rest('GET', `${at}/credentials`)).body)
    expect(received !== undefined && isSigned(received, signingSecret)).toBe(true)
  })

  test.each(['', '..', ' '])('refuses %j as the constant', async constant => {
    const { rest } = await cleanService()
    const request = { text: openApi, format: 'openapi', placeholders: { id: constant } }
    const answer = await rest('POST', '/import/preview', request)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      code: 'invalid_input',
      data: { issues: [{ path: 'placeholders.id' }] },
    })
  })
})

describe('the sign-in of a document', () => {
  test('becomes that of the connection, with the scheme and the variable that are asked for', async () => {
    const { rest } = await cleanService()
    const system = await startExternalSystem()
    const document = {
      openapi: '3.1.0',
      info: { title: 'Orders', version: '1' },
      servers: [{ url: system.url }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'query', name: 'key' },
        },
      },
      security: [{ token: [] }, { key: [] }],
      paths: { '/orders': { get: { operationId: 'listOrders' } } },
    }
    await rest('PUT', '/environment/MY_KEY', { value: 'value-of-key' })
    const auth = { scheme: 'key', variable: 'MY_KEY' }
    const request = { text: JSON.stringify(document), auth }
    const preview = ImportPreview.parse((await rest('POST', '/import/preview', request)).body)
    expect(preview.auth).toMatchObject([
      { scheme: 'token', variable: 'ORDERS_TOKEN', chosen: false },
      { scheme: 'key', variable: 'MY_KEY', chosen: true },
    ])
    expect(preview.details.environmentVariables).toMatchObject([
      { name: 'MY_KEY', headers: ['key'], actions: 1, sources: ['settings'] },
    ])
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', request)).body)
    const at = `/connections/${connectionId}`
    expect((await rest('GET', at)).body).toMatchObject({
      auth: { in: 'query', name: 'key', value: '{{MY_KEY}}' },
    })
    const [action] = ActionIds.parse((await rest('GET', `${at}/actions`)).body)
    await rest('POST', `${at}/actions/${action?.actionId}/test`, {})
    expect(system.requests).toMatchObject([{ url: '/orders?key=value-of-key' }])

    // Importing again leaves the sign-in of the connection, and adds no headers.
    const again = await rest('POST', `${at}/import/compare`, { text: request.text })
    expect(ImportComparison.parse(again.body)).toMatchObject({ changed: [], added: [], same: 1 })
  })
})

describe('the variables that an import would send to a host', () => {
  const sdk = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://pets.example' }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: { '/pets': { get: { operationId: 'listPets' } } },
  }
  const auth = { in: 'header', name: 'Authorization', value: 'Bearer {{OLD_TOKEN}}' }
  const uses = async (rest: Rest, request: object) => {
    const { body } = await rest('POST', '/import/preview', request)
    return ImportPreview.parse(body).details.environmentVariables.map(({ name, actions }) => [name, actions])
  }

  test('are also those of a connection that gets its base URL only now', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { baseUrl: null, auth })
    await rest('POST', `/connections/${connectionId}/actions`, {
      ...{ name: 'Old', toolName: 'old', description: 'Old.', method: 'GET', path: '/old' },
      headers: { 'X-Key': '{{OLD_KEY}}' },
    })
    const request = { text: JSON.stringify(sdk), connectionId }
    expect(await uses(rest, request)).toEqual([])
    expect(await uses(rest, { ...request, useBaseUrl: true })).toEqual([
      ['OLD_TOKEN', 2],
      ['OLD_KEY', 1],
    ])
  })

  test('are also those of a sign-in without a new action', async () => {
    const { rest } = await cleanService()
    const connection = { name: 'Signed', baseUrl: 'https://pets.example', auth }
    const document = { version: 1, connection, actions: [], events: [{ eventName: 'a' }] }
    expect(await uses(rest, { text: JSON.stringify(document) })).toEqual([['OLD_TOKEN', 0]])

    const { connectionId } = await createConnection(rest, { baseUrl: 'https://pets.example' })
    const request = { text: JSON.stringify(sdk), connectionId }
    await rest('POST', '/import', request)
    const signed = { ...request, auth: { scheme: 'token', variable: 'OLD_TOKEN' } }
    expect(await uses(rest, signed)).toEqual([['OLD_TOKEN', 1]])
  })
})

describe('importing again over REST', () => {
  test('refuses an action that sends the query parameter of the sign-in', async () => {
    const { rest } = await cleanService()
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', { text })).body)
    const auth = { in: 'query', name: 'key', value: '{{SHOP_KEY}}' }
    await rest('PATCH', `/connections/${connectionId}`, { auth })
    const key = { name: 'key', type: 'string', description: 'The key.', required: true }
    const action = { name: 'Two', description: 'Two.', method: 'GET', path: '/two', parameters: [key] }
    const changed = JSON.stringify({ ...document, actions: [...document.actions, action] })
    const again = `/connections/${connectionId}/import`
    const compared = await rest('POST', `${again}/compare`, { text: changed })
    const apply = ImportComparison.parse(compared.body).added.map(({ operation }) => operation)
    expect(apply).toHaveLength(1)
    const refused = await rest('POST', `${again}/update`, { text: changed, apply })
    expect(refused).toMatchObject({ status: 400, body: { data: { issues: [{ path: 'auth.name' }] } } })
  })

  const later = openApi.replace(
    'get: { operationId: listPets, responses: {} }',
    'get: { operationId: listPets, summary: Lists pets, responses: {} }\n    post: { operationId: addPet, responses: {} }',
  )

  test('compares, takes what is chosen, and shows nothing of what it keeps in actions and exports', async () => {
    const { rest } = await cleanService()
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', imported)).body)
    const at = `/connections/${connectionId}`
    const source = ImportSource.parse((await rest('GET', `${at}/source`)).body)
    expect(source).toMatchObject({ format: 'openapi', url: null })
    const compared = ImportComparison.parse(
      (await rest('POST', `${at}/import/compare`, { text: later })).body,
    )
    expect(compared).toMatchObject({
      added: [{ operation: 'POST /pets', name: 'add_pet', method: 'POST' }],
      changed: [{ operation: 'GET /pets', fields: [{ field: 'name' }, { field: 'description' }] }],
      ...{ removed: [], same: 1 },
    })
    const ifUpdatedAt = Date.parse(compared.updatedAt)
    const request = { text: later, apply: ['GET /pets'], hash: compared.hash, ifUpdatedAt }
    const { body } = await rest('POST', `${at}/import/update`, request)
    expect(body).toMatchObject({ added: [], changed: ['list_pets'], disabled: [] })
    expect(errorCode(await rest('POST', `${at}/import/update`, request))).toBe('changed_meanwhile')
    const { text: actions, body: listed } = await rest('GET', `${at}/actions`)
    expect(listed).toMatchObject([{ name: 'Lists pets' }, {}])
    expect(actions).not.toContain('imported')
    const { text: exported } = await rest('GET', `${at}/export`)
    expect(exported).not.toMatch(/imported|"source"|seen/)
  })

  test('takes an update back', async () => {
    const { rest } = await cleanService()
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', imported)).body)
    const at = `/connections/${connectionId}`
    await rest('POST', `${at}/import/update`, { text: later, apply: ['GET /pets', 'POST /pets'] })
    expect((await rest('GET', `${at}/actions`)).body).toHaveLength(3)
    expect((await rest('POST', `${at}/import/undo`)).status).toBe(200)
    expect((await rest('GET', `${at}/actions`)).body).toMatchObject([{ name: 'listPets' }, {}])
    expect(errorCode(await rest('POST', `${at}/import/undo`))).toBe('nothing_to_undo')
  })

  test('needs a document where no address is kept', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { name: 'Shop' })
    expect((await rest('GET', `/connections/${connectionId}/source`)).body).toBeNull()
    const answer = await rest('POST', `/connections/${connectionId}/import/compare`)
    expect(errorCode(answer)).toBe('no_import_source')
    const gone = await rest('POST', '/connections/conn_gone/import/compare', { text: openApi })
    expect(errorCode(gone)).toBe('connection_not_found')
  })

  test('names the workflows that use what changes, and when a removed action was called', async () => {
    const { rest } = await cleanService()
    const { connectionId } = ImportResult.parse((await rest('POST', '/import', imported)).body)
    const step = { key: 'list', type: 'action', connectionId, toolName: 'list_pets' }
    const workflow = { name: 'Watch pets', trigger: { type: 'external.event' }, steps: [step] }
    expect((await rest('POST', '/workflows', workflow)).status).toBe(201)
    const actions = ActionIds.parse((await rest('GET', `/connections/${connectionId}/actions`)).body)
    await rest('POST', `/connections/${connectionId}/actions/${actions[0]?.actionId}/test`, {})
    const at = `/connections/${connectionId}/import/compare`
    const compared = ImportComparison.parse((await rest('POST', at, { text: later })).body)
    expect(compared.changed).toMatchObject([{ name: 'list_pets', workflows: ['Watch pets'] }])
    const less = later.replace(/ {4}get: .*\n/, '')
    const { removed } = ImportComparison.parse((await rest('POST', at, { text: less })).body)
    expect(removed).toMatchObject([
      { name: 'list_pets', workflows: ['Watch pets'], lastCalledAt: expect.any(String) },
    ])
  })
})
