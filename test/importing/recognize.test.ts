import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { recognizeFormat } from '#main/importing/recognize.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const folder = join(import.meta.dirname, '..', 'fixtures', 'import')
/** Those that are, on purpose, not what their names say. */
const misfits = ['openapi-not.input.json', 'curl-not.input.txt', 'curl-powershell.input.txt']
const files = readdirSync(folder).filter(file => file.includes('.input.') && !misfits.includes(file))

test.each(files)('%s is recognized by its content', file => {
  const [first = ''] = file.split(/[-.]/)
  const format = ['openapi', 'swagger', 'postman', 'curl'].includes(first) ? first : 'document'
  expect(recognizeFormat(readFileSync(join(folder, file), 'utf8'))).toEqual({ format })
})

test('a text of no known format counts as an import document, to be refused as one', () => {
  for (const text of ['', '42', 'curly', 'hello', '[', '{"description": "Has no openapi: key."}'])
    expect(recognizeFormat(text)).toEqual({ format: 'document' })
})

describe('an OpenAPI document is recognized', () => {
  test.each([
    ['by a key after a long part', `{"paths": {"/a": "${'x'.repeat(100_000)}"}, "openapi": "3.1.0"}`],
    ['with a byte order mark', '\ufeff{"openapi": "3.0.0"}'],
    ['in YAML with quotes', '# Shop\n"openapi": "3.0.0"\n'],
    ['in YAML after a long part', `info: {title: Shop}\n# ${'x'.repeat(100_000)}\nopenapi: 3.0.0\n`],
    ['while it is incomplete', '{"openapi": "3.0.0", "paths": {"/a": {'],
  ])('%s', (_name, text) => {
    expect(recognizeFormat(text)).toEqual({ format: 'openapi' })
  })
})

test('a document that holds another one in a sample stays an import document', () => {
  const text = JSON.stringify({ events: [{ eventName: 'a', samplePayload: { openapi: '3.0.0', log: {} } }] })
  expect(recognizeFormat(text)).toEqual({ format: 'document' })
})

describe('a format that is not read is named, with what to do instead', () => {
  const json = (value: unknown) => JSON.stringify(value)
  test.each([
    ['a HAR file', json({ log: { version: '1.2', creator: { name: 'Firefox' }, entries: [] } })],
    ['an Insomnia export', json({ _type: 'export', __export_format: 4, resources: [] })],
    ['an Insomnia export', 'type: collection.insomnia.rest/5.0\nname: Shop\n'],
    ['a GraphQL schema', json({ data: { __schema: { types: [] } } })],
    ['a GraphQL schema', json({ __schema: { types: [] } })],
    ['a GraphQL schema', '"""The root."""\ntype Query {\n  order(id: ID!): Order\n}\n'],
    [
      'WSDL (SOAP)',
      '<?xml version="1.0"?><definitions xmlns="http://schemas.xmlsoap.org/wsdl/"></definitions>',
    ],
    ['XML', '<?xml version="1.0"?><orders/>'],
    ['an HTML page, not a document', '<!DOCTYPE html><html><title>Swagger UI</title></html>'],
    [
      'a Postman collection 2.0',
      json({
        info: { schema: 'https://schema.getpostman.com/json/collection/v2.0.0/collection.json' },
        item: [],
      }),
    ],
    ['a Postman collection 1.0', json({ id: '1', name: 'Shop', requests: [], order: [] })],
    ['a Postman environment', json({ name: 'Test', values: [], _postman_variable_scope: 'environment' })],
    ['RAML', '#%RAML 1.0\ntitle: Shop\n'],
    ['AsyncAPI', 'asyncapi: 3.0.0\ninfo: {title: Shop}\n'],
    ['AsyncAPI', json({ asyncapi: '2.6.0' })],
    ['a Google API discovery document', json({ kind: 'discovery#restDescription', discoveryVersion: 'v1' })],
    ['API Blueprint', 'FORMAT: 1A\n# Shop\n'],
    ['a Bruno request', 'meta {\n  name: Find\n}\n\nget {\n  url: https://a.example\n}\n'],
    ['Swagger 1', json({ swaggerVersion: '1.2', apis: [] })],
    ['a JSON Schema', json({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' })],
    ['a Protocol Buffers file', 'syntax = "proto3";\nmessage Order {}\n'],
    ['an HTTP request file', '### Find\nGET https://a.example/orders\n'],
  ])('%s', (what, text) => {
    const { valid, recognized, issues } = previewImport(newConfig(nowMs), read(text, 'auto'), newConnection)
    expect({ valid, recognized }).toEqual({ valid: false, recognized: null })
    expect(issues).toMatchObject([{ code: 'format_not_read', severity: 'error', line: 1, column: 1 }])
    const [{ message = '' } = {}] = issues
    expect(message.startsWith(`This is ${what}. `)).toBe(true)
    expect(message.length).toBeGreaterThan(`This is ${what}. `.length + 20)
  })
})

describe('a preview says what was recognized', () => {
  const recognized = (text: string) =>
    previewImport(newConfig(nowMs), read(text, 'auto'), newConnection).recognized

  test('of an OpenAPI document', () => {
    const text = `
openapi: 3.1.0
info: {title: Acme Orders API, version: '2.1'}
servers: [{url: 'https://api.acme-erp.example/v2'}]
security: [{key: []}]
paths:
  /orders: {get: {}, post: {}}
  /orders/{id}: {get: {}}
webhooks: {order.paid: {post: {}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Api-Key}
    page: {type: apiKey, in: query, name: key}
    user: {type: http, scheme: basic}
`
    expect(recognized(text)).toEqual({
      format: 'openapi',
      version: '3.1',
      title: 'Acme Orders API',
      documentVersion: '2.1',
      operations: 3,
      webhooks: 1,
      baseUrl: 'https://api.acme-erp.example/v2',
      signIn: [
        { type: 'apiKey', name: 'key', header: 'X-Api-Key' },
        { type: 'apiKey', name: 'page', header: null },
        { type: 'basic', name: 'user', header: 'Authorization' },
      ],
    })
  })

  test('of an import document and a curl command', () => {
    const connection = { name: 'Shop', baseUrl: 'https://api.shop.example' }
    const text = JSON.stringify({ connection, actions: [], events: [{ eventName: 'a' }] })
    expect(recognized(text)).toMatchObject({ format: 'document', title: 'Shop', operations: 0, webhooks: 1 })
    expect(recognized('curl https://api.shop.example/orders')).toMatchObject({
      format: 'curl',
      version: null,
      title: 'GET /orders',
      operations: 1,
      baseUrl: 'https://api.shop.example',
    })
  })

  test('without a signing secret', () => {
    const text = `openapi: 3.0.0\ninfo: {title: Shop, version: whsec_abc123}\npaths: {}\n`
    expect(JSON.stringify(recognized(text))).not.toContain('abc123')
  })
})
