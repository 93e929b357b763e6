import { expect, test } from 'vitest'
import { writeRequest } from '#shared/request/write-request.ts'
import { read } from './fixtures.ts'

function sent(request: object, given: Record<string, unknown>) {
  const collection = {
    info: {
      name: 'Shop',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: [{ name: 'One', request: { method: 'POST', url: 'https://api.example.com/a', ...request } }],
  }
  const [action] = read(JSON.stringify(collection), 'postman').content?.actions ?? []
  if (action === undefined) throw new Error('There is no action.')
  const { method, path, headers = null, parameters, sendsBody, isEnabled } = action.fields
  expect(isEnabled).toBe(true)
  const written = writeRequest({ method, path, headers, parameters, sendsBody }, given)
  if ('issues' in written) throw new Error(JSON.stringify(written.issues))
  return { contentType: headers?.['Content-Type'] ?? null, ...written }
}

const raw = (text: string, language = 'json') => ({
  body: { mode: 'raw', raw: text, options: { raw: { language } } },
})
const text = (value: string) => ({ kind: 'text', text: value })
const typed = (type: string) => ({ header: [{ key: 'Content-Type', value: type }] })

test.each<[string, object, Record<string, unknown>, string | null, unknown]>([
  [
    'a form',
    { body: { mode: 'urlencoded', urlencoded: [{ key: 'a', value: '1' }, { key: 't[]' }, { key: 't[]' }] } },
    { a: 2, 't[]': ['x', 'y'] },
    'application/x-www-form-urlencoded',
    text('a=2&t%5B%5D=x&t%5B%5D=y'),
  ],
  [
    'a multipart form',
    {
      body: {
        mode: 'formdata',
        formdata: [
          { key: 'f', type: 'file', src: '/x' },
          { key: 'n', value: 'y', type: 'text', disabled: true },
        ],
      },
    },
    { f: 'AAE=' },
    'multipart/form-data',
    {
      kind: 'parts',
      parts: [{ name: 'f', content: { base64: 'AAE=' }, contentType: 'application/octet-stream' }],
    },
  ],
  [
    'a file',
    { body: { mode: 'file' } },
    { body: 'AAE=' },
    'application/octet-stream',
    { kind: 'bytes', base64: 'AAE=' },
  ],
  ['XML', raw('<a/>', 'xml'), { body: '<b/>' }, 'application/xml', text('<b/>')],
  [
    'a text with a type',
    { ...raw('a,b', 'text'), ...typed('text/csv') },
    { body: 'c' },
    'text/csv',
    text('c'),
  ],
  ['a list', raw('[1, 2]'), { body: [3] }, null, text('[3]')],
  ['a list in a field', raw('{"a": ["x"]}'), { a: ['y'] }, null, text('{"a":["y"]}')],
  [
    'a type of JSON',
    { ...raw('{"a": 1}'), ...typed('application/vnd.api+json') },
    { a: 2 },
    'application/vnd.api+json',
    text('{"a":2}'),
  ],
  [
    'a GraphQL query',
    { body: { mode: 'graphql', graphql: { query: '{a(n: $n)}', variables: '{"n": 1}' } } },
    { variables: { n: 2 } },
    null,
    text('{"query":"{a(n: $n)}","variables":{"n":2}}'),
  ],
  ['no body', {}, {}, null, { kind: 'none' }],
])('a request with %s sends it', (_name, request, given, contentType, body) => {
  expect(sent(request, given)).toMatchObject({ contentType, body })
})

test.each(['GET', 'POST'])('a %s takes the values of its path and query', method => {
  const url = {
    raw: 'https://api.example.com/shops/{{shop}}/orders/:id?tag=a&tag=b&day={{day}}&off=1',
    host: ['https://api.example.com'],
    path: ['shops', '{{shop}}', 'orders', ':id'],
    query: [
      { key: 'tag', value: 'a' },
      { key: 'tag', value: 'b' },
      { key: 'day', value: '{{day}}' },
      { key: 'off', value: '1', disabled: true },
    ],
    variable: [{ key: 'id', value: '7', description: 'The order.' }],
  }
  const given = { shop: 'a/b', id: 8, day: 'today', ...(method === 'GET' && { tag: ['c', 'd'] }) }
  expect(sent({ method, url }, given).path).toBe(
    method === 'GET'
      ? '/shops/a%2Fb/orders/8?tag=c&tag=d&day=today'
      : '/shops/a%2Fb/orders/8?tag=a&tag=b&day=today',
  )
})

test('a header whose value Postman generates is a parameter', () => {
  const header = [{ key: 'X-Request-Id', value: '{{$guid}}' }]
  expect(sent({ method: 'GET', header }, { 'X-Request-Id': '1' }).headers).toEqual({ 'X-Request-Id': '1' })
})
