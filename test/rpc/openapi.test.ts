import { beforeAll, describe, expect, test } from 'vitest'
import { version } from '#main/lib/version.ts'
import { errorCatalogue } from '#shared/errors.ts'
import { ActivityItem, commonItems } from '#shared/model/activity.ts'
import { LiveMessage } from '#shared/model/live.ts'
import { createAction } from '../support/actions.ts'
import {
  answerSchema,
  constantsOf,
  OpenApiDocument,
  operationsOf,
  responsesOf,
} from '../support/openapi-document.ts'
import { createConnection, type RestMethod } from '../support/rest-client.ts'
import { openService, startService } from '../support/service-fixture.ts'

/** The routes of the interface that integrators rely on. */
const promised = [
  'GET /workspaces',
  'POST /workspaces',
  'PATCH /workspaces/{workspaceId}',
  'DELETE /workspaces/{workspaceId}',
  'GET /connections',
  'POST /connections',
  'GET /connections/{connectionId}',
  'PATCH /connections/{connectionId}',
  'DELETE /connections/{connectionId}',
  'GET /connections/{connectionId}/credentials',
  'POST /connections/{connectionId}/rotate-secret',
  'POST /connections/{connectionId}/regenerate-token',
  'GET /connections/{connectionId}/actions',
  'POST /connections/{connectionId}/actions',
  'GET /connections/{connectionId}/actions/{actionId}',
  'PATCH /connections/{connectionId}/actions/{actionId}',
  'DELETE /connections/{connectionId}/actions/{actionId}',
  'POST /connections/{connectionId}/actions/{actionId}/restore',
  'POST /connections/{connectionId}/actions/{actionId}/test',
  'POST /connections/{connectionId}/actions/{actionId}/check',
  'GET /connections/{connectionId}/actions/{actionId}/tests',
  'GET /connections/{connectionId}/last-tests',
  'GET /tools',
  'GET /tools/suggest-name',
  'GET /environment',
  'PUT /environment/{name}',
  'DELETE /environment/{name}',
  'GET /connections/{connectionId}/event-types',
  'POST /connections/{connectionId}/event-types',
  'PATCH /connections/{connectionId}/event-types/{eventTypeId}',
  'DELETE /connections/{connectionId}/event-types/{eventTypeId}',
  'GET /events',
  'GET /connections/{connectionId}/events',
  'DELETE /connections/{connectionId}/events',
  'GET /connections/{connectionId}/events/{eventId}',
  'DELETE /connections/{connectionId}/events/{eventId}',
  'POST /connections/{connectionId}/events/{eventId}/replay',
  'GET /connections/{connectionId}/attempts',
  'POST /connections/{connectionId}/send',
  'GET /attempts',
  'GET /activity',
  'GET /live',
  'GET /statistics',
  'GET /connections/{connectionId}/statistics/event-names',
  'GET /settings',
  'PATCH /settings',
  'GET /health',
  'GET /service',
  'PUT /service/listener',
  'GET /nodes',
  'DELETE /nodes/{nodeId}',
  'POST /workspaces/{workspaceId}/probe',
  'POST /backup',
  'POST /samples',
  ...[
    ...['widget', 'voice', 'crawler', 'calendar', 'language'],
    ...['conversation-actions', 'text-responses', 'sms-keywords'],
  ].flatMap(shape => [`GET /platform/${shape}`, `PUT /platform/${shape}`, `DELETE /platform/${shape}`]),
  'GET /platform/{shape}/schema',
  'GET /platform/export',
  'POST /platform/import',
  'POST /platform/try/crawler-patterns',
  'POST /platform/try/slots',
  'POST /platform/try/keyword',
  'POST /platform/try/text-response',
]

let document: OpenApiDocument
beforeAll(async () => {
  const fixture = await openService()
  const answer = await fixture.rest('GET', '/openapi.json')
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  document = OpenApiDocument.parse(answer.body)
  await fixture.close()
})

describe('the OpenAPI document', () => {
  test('is of version 3.1, for this version of the service, and asks for the admin token', () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info.version).toBe(version)
    expect(document.servers).toEqual([{ url: '/api/v1' }])
    expect(document.components.securitySchemes).toEqual({ adminToken: { type: 'http', scheme: 'bearer' } })
    expect(document.security).toEqual([{ adminToken: [] }])
  })

  test('lists what the interface promises', () => {
    expect(operationsOf(document).map(([name]) => name)).toEqual(expect.arrayContaining(promised))
  })

  test('has one id for each operation, and every parameter of its path', () => {
    const operations = operationsOf(document)
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length)
    for (const [name, { parameters = [] }] of operations) {
      const inPath = parameters.filter(parameter => parameter.in === 'path')
      expect(inPath.map(parameter => parameter.name)).toEqual(
        [...name.matchAll(/\{(\w+)\}/g)].map(match => match[1]),
      )
      expect(inPath.every(parameter => parameter.required)).toBe(true)
    }
  })

  test('refers to nothing outside itself', () => {
    for (const [, ref = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g))
      expect(ref).toMatch(/^#\/components\//)
  })

  test('documents the errors of each operation by code, under the status of the catalogue', () => {
    for (const [, operation] of operationsOf(document)) {
      const documented = responsesOf(document, operation).filter(([status]) => status >= 400)
      const codes = documented.flatMap(([status, response]) =>
        constantsOf(response, 'code').map(code => ({ code, status })),
      )
      for (const [, { description }] of documented) expect(description).toMatch(/^`[a-z_]+`: [A-Z]/)
      expect(codes.map(({ code }) => code)).toEqual(
        expect.arrayContaining([
          ...['invalid_input', 'unauthorized', 'damaged_data', 'storage_unavailable', 'internal_error'],
          ...['forbidden_host', 'forbidden_origin', 'too_many_attempts'],
          ...(operation.requestBody === undefined ? [] : ['body_too_large', 'unsupported_media_type']),
        ]),
      )
      for (const { code, status } of codes)
        if (code === 'connection_disabled') expect(status).toBe(409)
        else expect(errorCatalogue).toHaveProperty([code, 'status'], status)
    }
    const operations = new Map(operationsOf(document))
    const codesOf = (name: string) => {
      const operation = operations.get(name)
      return operation && constantsOf(Object.fromEntries(responsesOf(document, operation)), 'code')
    }
    expect(codesOf('DELETE /workspaces/{workspaceId}')).toEqual(
      expect.arrayContaining(['workspace_not_found', 'workspace_not_empty', 'default_workspace']),
    )
    expect(codesOf('POST /connections/{connectionId}/events/{eventId}/replay')).toContain('event_not_found')
  })

  test('documents every type of activity item', () => {
    const types = ActivityItem.options.flatMap(option => [...option.shape.type.values])
    const { schemas } = document.components
    const referred = Object.keys(commonItems).filter(name =>
      JSON.stringify(schemas.ActivityItem).includes(`"#/components/schemas/${name}"`),
    )
    const documented = [schemas.ActivityItem, ...referred.map(name => schemas[name])]
    expect(documented.flatMap(schema => constantsOf(schema, 'type')).sort()).toEqual(types.sort())
    expect(JSON.stringify(document.paths['/activity']?.get?.responses['200'])).toContain(
      'schemas/ActivityItem',
    )
  })

  test('documents every type of message of the live stream', () => {
    const types = LiveMessage.options.flatMap(option => [...option.shape.type.values])
    expect(constantsOf(document.components.schemas.LiveMessage, 'type')).toEqual(
      expect.arrayContaining(types),
    )
    expect(JSON.stringify(document.paths['/live']?.get?.responses['200'])).toContain('schemas/LiveMessage')
  })

  test('names its schemas once: what a list, a single answer and an event show is a reference', () => {
    const names = [
      'Action',
      'Attempt',
      'Connection',
      'Event',
      'EventType',
      'Parameter',
      'Settings',
      'Workspace',
    ]
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names))
    const text = JSON.stringify(document)
    for (const name of Object.keys(document.components.schemas))
      expect(text.includes(`"#/components/schemas/${name}"`), name).toBe(true)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(document.components.schemas).toHaveProperty(name)
    // Inlined, it had 347 KB for 55 operations.
    expect(text.length / operationsOf(document).length).toBeLessThan(2380)
  })

  test('describes a parameter of several operations once, under its name', () => {
    expect(document.paths['/connections/{connectionId}']?.get?.parameters).toContainEqual({
      $ref: '#/components/parameters/connectionId',
    })
    expect(document.components.parameters.connectionId).toMatchObject({ in: 'path', required: true })
    // Of the same name, but in the query.
    expect(document.paths['/tools']?.get?.parameters).toContainEqual(
      expect.objectContaining({ name: 'connectionId', in: 'query' }),
    )
  })

  test('documents a time in a request as ISO 8601 or milliseconds, in a body and in a query', () => {
    const inBody = {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'integer', minimum: 1e11, maximum: 253_402_300_799_999 },
      ],
    }
    const inQuery = {
      type: 'string',
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', pattern: String.raw`^\d{12,15}$` },
      ],
    }
    const operations = new Map(operationsOf(document))
    for (const name of ['GET /runs', 'GET /runs/counts', 'GET /activity/list', 'GET /activity/counts']) {
      const since = operations.get(name)?.parameters?.find(parameter => parameter.name === 'since')
      expect(since, name).toMatchObject({ schema: inQuery })
      // Not an object in brackets.
      expect(since, name).not.toHaveProperty('style')
    }
    for (const name of ['PATCH /settings', 'PATCH /workflows/{workflowId}', 'POST /platform/try/slots'])
      expect(JSON.stringify(operations.get(name)?.requestBody), name).toContain(
        JSON.stringify(inBody).slice(1, -1),
      )
  })

  test('keeps the names of its responses: what every operation can answer is not in them', () => {
    const names = Object.keys(document.components.responses)
    expect(names).toEqual(
      expect.arrayContaining(['InternalError', 'InternalErrorOrDamagedEvent', 'InternalErrorOrDamagedRun']),
    )
    expect(constantsOf(document.components.responses.InternalError, 'code')).toEqual([
      'damaged_data',
      'internal_error',
    ])
  })

  test('has the header by which a stream goes on, and only streams have it', () => {
    const withHeader = operationsOf(document).filter(([, { parameters = [] }]) =>
      parameters.some(parameter => parameter.in === 'header' && parameter.name === 'Last-Event-ID'),
    )
    expect(withHeader.map(([name]) => name).sort()).toEqual(['GET /activity', 'GET /live'])
  })

  test('requires a body only where one is needed', () => {
    const operations = Object.fromEntries(operationsOf(document))
    expect(operations['POST /connections']?.requestBody?.required).toBe(true)
    expect(operations['POST /connections/{connectionId}/rotate-secret']?.requestBody?.required ?? false).toBe(
      false,
    )
    expect(
      operations['POST /connections/{connectionId}/actions/{actionId}/test']?.requestBody?.required ?? false,
    ).toBe(false)
    expect(operations['POST /connections/{connectionId}/regenerate-token']?.requestBody).toBeUndefined()
  })
})

test('answers are as the document describes them, errors too', async () => {
  const { rest } = await startService()
  const { connectionId } = await createConnection(rest, {
    persistEvents: true,
    baseUrl: 'http://127.0.0.1:1',
  })
  const headers = { 'X-Key': '{{SHOP_KEY}}' }
  const { actionId } = await createAction(rest, connectionId, { headers, responseMapping: { a: 'b' } })
  const operations = Object.fromEntries(operationsOf(document))
  const connection = '/connections/{connectionId}'
  const ids: Record<string, string> = {
    connectionId,
    workspaceId: 'default',
    eventId: 'evt_none',
    eventTypeId: 'none',
    actionId,
    name: 'SHOP_KEY',
  }
  const calls: [RestMethod, string, unknown?, string?][] = [
    ['GET', '/workspaces'],
    ['POST', '/workspaces', { name: 'Team' }],
    ['PATCH', '/workspaces/{workspaceId}', { name: 'Crew' }],
    ['DELETE', '/workspaces/{workspaceId}'],
    ['GET', '/connections'],
    ['POST', '/connections', { name: 'Shop' }],
    ['POST', '/connections', {}],
    ['GET', connection],
    ['PATCH', connection, { baseUrl: 'https://api.example.com' }],
    ['GET', `${connection}/credentials`],
    ['POST', `${connection}/rotate-secret`, {}],
    ['POST', `${connection}/regenerate-token`],
    ['POST', `${connection}/actions`, { name: 'x', description: 'x', path: '/' }],
    ['POST', `${connection}/actions`, { name: 'x', description: 'x', path: '/' }],
    ['POST', `${connection}/actions`, {}],
    ['GET', `${connection}/actions`],
    ['GET', `${connection}/actions/{actionId}`],
    ['PATCH', `${connection}/actions/{actionId}`, { isEnabled: true }],
    ['POST', `${connection}/actions/{actionId}/test`, {}],
    ['PUT', '/environment/{name}', { value: 'secret' }],
    ['PUT', '/environment/{name}', {}],
    ['GET', '/environment'],
    ['POST', `${connection}/actions/{actionId}/test`, { arguments: {} }],
    ['POST', `${connection}/actions/{actionId}/check`, {}],
    ['POST', `${connection}/actions/{actionId}/check`, { checks: [] }],
    ['GET', `${connection}/actions/{actionId}/tests`],
    ['GET', `${connection}/last-tests`],
    ['GET', '/tools'],
    ['GET', '/tools', undefined, '?workspaceId=none'],
    ['GET', '/tools/suggest-name', undefined, '?name=Look%20up'],
    ['GET', '/tools/suggest-name'],
    ['DELETE', '/environment/{name}'],
    ['DELETE', '/environment/{name}'],
    ['DELETE', `${connection}/actions/{actionId}`],
    ['DELETE', `${connection}/actions/{actionId}`],
    ['POST', `${connection}/event-types`, { eventName: 'a', samplePayload: { a: [1] } }],
    ['POST', `${connection}/event-types`, { eventName: 'a' }],
    ['GET', `${connection}/event-types`],
    ['DELETE', `${connection}/event-types/{eventTypeId}`],
    ['POST', `${connection}/send`, { event: 'a', data: { a: 1 } }],
    ['POST', `${connection}/send`, { event: 'a', dataText: '7' }],
    ['GET', `${connection}/events`],
    ['GET', `${connection}/events`, undefined, '?limit=0'],
    ['GET', `${connection}/events/{eventId}`],
    ['POST', `${connection}/events/{eventId}/replay`],
    ['GET', `${connection}/attempts`],
    ['GET', '/attempts'],
    ['GET', '/statistics'],
    ['GET', '/statistics', undefined, '?workspaceId=none'],
    ['GET', `${connection}/statistics/event-names`],
    ['GET', '/settings'],
    ['PATCH', '/settings', { maxBodyBytes: 2048 }],
    ['GET', '/health'],
    ['GET', '/service'],
    ['GET', '/nodes'],
    ['DELETE', '/nodes/{nodeId}'],
    ['PUT', '/service/listener', { host: '127.0.0.1', port: 0 }],
    ['PUT', '/service/listener', { host: '192.0.2.1', port: 0 }],
    ['POST', '/workspaces/{workspaceId}/probe', {}],
    ['POST', '/workspaces/{workspaceId}/probe', { publicBaseUrl: 'http://127.0.0.1:1' }],
    ['POST', '/samples', {}],
    ['POST', '/samples', { workspaceId: 7 }],
    ['DELETE', `${connection}/events`],
    ['DELETE', connection],
  ]
  for (const [method, template, body, query = ''] of calls) {
    const path = template.replace(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? '') + query
    const answer = await rest(method, path, body)
    const operation = operations[`${method} ${template}`]
    if (operation === undefined) throw new Error(`${method} ${template} is not documented.`)
    const problems = answerSchema(document, operation, answer.status).safeParse(answer.body).error
    expect(problems, `${method} ${path} → ${answer.status} ${answer.text}`).toBeUndefined()
  }
})
