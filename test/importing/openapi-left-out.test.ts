import { expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { ImportPreview } from '#shared/model/import-preview.ts'
import { DocumentSource } from '#shared/model/import-source.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const operation = { responses: { 200: { description: 'ok' } } }
const preview = (paths: object, rest: object = {}) => {
  const document = {
    openapi: '3.2.0',
    info: { title: 'Shop' },
    servers: [{ url: 'https://api.example.com' }],
    paths,
    ...rest,
  }
  return ImportPreview.parse(
    previewImport(newConfig(nowMs), read(JSON.stringify(document), 'openapi'), newConnection),
  )
}

test("an operation for any method, of Amazon's API Gateway, is named as left out", () => {
  const found = preview({
    '/proxy': { 'x-amazon-apigateway-any-method': operation },
    '/orders': { get: operation },
  })
  expect(found.actions.create).toEqual(['get_orders'])
  expect(found.leftOut).toMatchObject([{ operation: 'ANY /proxy', reason: 'method' }])
})

test.each(['head', 'options', 'trace', 'query'])(
  'an operation with the method %s is named as left out',
  method => {
    expect(preview({ '/a': { [method]: operation } }).leftOut).toMatchObject([{ reason: 'method' }])
  },
)

test('whatever else is an operation by its content is named as left out', () => {
  const found = preview(
    {
      '/a': {
        summary: 'A',
        parameters: [],
        'x-owner': { name: 'Ada' },
        GET: operation,
        propfind: operation,
        'x-cache-method': operation,
        additionalOperations: { COPY: operation, 'M-SEARCH': operation, '': operation },
      },
    },
    { 'x-ms-paths': { '/b?comp=list': { get: operation } } },
  )
  expect(found.leftOut).toMatchObject([{ operation: 'COPY /a', reason: 'method' }])
  expect(found.unsupported.map(({ name }) => name)).toEqual([
    'GET /a',
    'propfind /a',
    'x-cache-method /a',
    'M-SEARCH /a',
    ' /a',
    '/b?comp=list',
    'COPY /a',
  ])
})

test.each(['__proto__', 'X Y', '', 'Host', 'X-Service-Id', 'a:b'])(
  'refuses the header %j for a document',
  name => {
    const source = { url: 'https://api.example.com/openapi.json', header: { name, value: 'secret' } }
    const { issues = [] } = DocumentSource.safeParse(source).error ?? {}
    expect(issues.map(({ path }) => path.join('.'))).toEqual(['header.name'])
  },
)
