import { expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const preview = (text: string) => previewImport(newConfig(nowMs), read(text, 'openapi'), newConnection)
const rest = `
info: {title: Shop, version: 1.0}
servers: [{url: https://api.example.com}]
paths: {/a: {get: {operationId: a}}}`

test.each([
  'openapi: 3.0',
  'openapi: 3.1',
  'openapi: 3',
  'openapi: "3.0"',
  "openapi: '3'",
  'openapi: 3.0.3',
  'openapi: 3.1.1',
  'openapi: 3.0.0-rc2',
  'openapi: 3.2',
  'openapi: 3.2.0',
])('reads %s', version => {
  const { valid, actions } = preview(version + rest)
  expect(valid).toBe(true)
  expect(actions.create).toEqual(['a'])
})

test('reads a version that is a number in JSON', () => {
  const document = { info: { title: 'Shop' }, servers: [{ url: 'https://api.example.com' }], paths: {} }
  expect(preview(JSON.stringify({ openapi: 3, ...document })).valid).toBe(true)
  expect(preview(JSON.stringify({ openapi: 3.1, ...document })).valid).toBe(true)
})

test.each([
  ['openapi: 3.3', 'OpenAPI 3.3 is not supported. Use 3.0, 3.1 or 3.2.'],
  ['openapi: "3.10"', 'OpenAPI 3.10 is not supported. Use 3.0, 3.1 or 3.2.'],
  ['openapi: 30', 'OpenAPI 30 is not supported. Use 3.0, 3.1 or 3.2.'],
  ['openapi: 2.0', 'OpenAPI 2 is not supported. Use 3.0, 3.1 or 3.2.'],
  ['openapi:', 'The field "openapi" must be a version, such as 3.0.3.'],
  ['openapi: {version: 3}', 'The field "openapi" must be a version, such as 3.0.3.'],
  ['swagger: 1.2', 'Swagger 1.2 is not supported. Use Swagger 2.0 or OpenAPI 3.'],
])('refuses %s', (version, message) => {
  expect(preview(version + rest).issues).toMatchObject([{ severity: 'error', message, line: 1 }])
})

test('a body or a form field that operations of Swagger share is read like their own', () => {
  const parameters = {
    Order: {
      name: 'order',
      in: 'body',
      required: true,
      schema: { properties: { title: { type: 'string' } } },
    },
    Note: { name: 'note', in: 'formData', required: true, type: 'string' },
  }
  const operation = (name: string) => ({ parameters: [{ $ref: `#/parameters/${name}` }], responses: {} })
  const { content, omissions } = read(
    JSON.stringify({
      swagger: '2.0',
      info: { title: 'Shop', version: '1' },
      host: 'api.example.com',
      consumes: ['application/json'],
      parameters,
      paths: { '/orders': { post: operation('Order'), patch: operation('Order'), put: operation('Note') } },
    }),
    'openapi',
  )
  const actions = content?.actions.map(({ fields }) => [
    fields.method,
    fields.isEnabled,
    fields.parameters?.map(({ name }) => name),
  ])
  expect(actions).toEqual([
    ['POST', true, ['title']],
    ['PATCH', true, ['title']],
    ['PUT', true, ['note']],
  ])
  expect(omissions).toEqual([])
})
