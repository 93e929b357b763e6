import { describe, expect, test } from 'vitest'
import { readImport } from '#main/importing/import-job.ts'
import { read } from './fixtures.ts'

type Part = { servers?: readonly object[]; schemes?: readonly string[] }

/** A document with one operation for each pair of what its path and itself say about servers. */
function documentOf(root: object, ...operations: readonly (readonly [item: Part, operation: Part])[]) {
  const paths = operations.map(([item, get], index) => [`/a${index}`, { ...item, get }] as const)
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop' },
    ...root,
    paths: Object.fromEntries(paths),
  })
}
const at = (url: string, rest: object = {}) => ({ servers: [{ url, ...rest }] })
const importing = (text: string, documentUrl: string | null = null) => {
  const { recognized, operations, problems } = readImport(text, 'openapi', null, {}, documentUrl)
  return {
    baseUrl: recognized?.baseUrl,
    taken: (operations ?? []).map(({ action, leftOut }) => leftOut?.reason ?? action),
    notes: problems.map(({ message }) => message),
  }
}

describe('an operation that repeats the server of the document is imported', () => {
  const region = { variables: { region: { default: 'eu' } } }
  test.each<[name: string, root: Part, own: Part, documentUrl?: string]>([
    ['word for word', at('https://api.example.com/v2'), at('https://api.example.com/v2')],
    ['with a slash at its end', at('https://api.example.com/v2'), at('https://api.example.com/v2//')],
    ['without the slash of the document', at('https://api.example.com/'), at('https://api.example.com')],
    ['in capitals', at('https://api.example.com/v2'), at('HTTPS://API.Example.COM/v2')],
    ['with the default port', at('https://api.example.com/v2'), at('https://api.example.com:443/v2')],
    ['without the default port', at('http://api.example.com:80'), at('http://api.example.com')],
    [
      'with the default of a variable',
      at('https://{region}.example.com', region),
      at('https://eu.example.com'),
    ],
    [
      'with the same variable',
      at('https://{region}.example.com', region),
      at('https://{region}.example.com', region),
    ],
    ['with a variable that has no default', at('https://{host}/v2'), at('https://{host}/v2/')],
    ['as the same relative URL', at('/v2'), at('/v2/')],
    [
      'among others',
      at('https://api.example.com'),
      { servers: [{ url: 'https://b.example' }, ...at('https://api.example.com').servers] },
    ],
    ['without a scheme', at('//api.example.com'), at('https://api.example.com')],
    [
      'as a URL relative to the document',
      at('https://api.example.com/v2'),
      at('/v2'),
      'https://api.example.com/openapi.json',
    ],
    [
      'where the document has it relative',
      at('../v2'),
      at('https://api.example.com/v2'),
      'https://api.example.com/docs/openapi.json',
    ],
  ])('%s', (_name, root, own, documentUrl) => {
    for (const pair of [
      [own, {}],
      [{}, own],
      [at('https://other.example'), own],
    ] as const)
      expect(importing(documentOf(root, pair, [{}, {}]), documentUrl).taken).toEqual([0, 1])
  })

  test.each<[name: string, own: Part]>([
    ['another host', at('https://files.example.com')],
    ['another path', at('https://api.example.com/v3')],
    ['a longer path', at('https://api.example.com/v2/beta')],
    ['another port', at('https://api.example.com:8443/v2')],
    ['http instead of https', at('http://api.example.com/v2')],
    ['a query', at('https://api.example.com/v2?a=1')],
    ['another variable', at('https://{host}/v2')],
  ])('but not one with %s', (_name, own) => {
    for (const pair of [
      [own, {}],
      [{}, own],
      [at('https://api.example.com/v2'), own],
    ] as const)
      expect(importing(documentOf(at('https://api.example.com/v2'), pair, [{}, {}])).taken).toEqual([
        'server',
        0,
      ])
  })
})

describe('a server that all operations share', () => {
  const own = at('https://api.example.com/v2/')

  test('is the base URL if the document has none, and is named', () => {
    expect(importing(documentOf({}, [own, {}], [{}, at('https://API.example.com/v2')]))).toEqual({
      baseUrl: 'https://api.example.com/v2',
      taken: [0, 1],
      notes: ['The document has no server. The base URL is the server that most of its operations name.'],
    })
  })

  test.each([
    ['a URL without a scheme', '//other.example'],
    ['another one', 'https://other.example'],
    ['a relative one', '/'],
    ['one that cannot be called', 'wss://api.example.com'],
  ])('is the base URL if no operation uses that of the document, %s', (_name, url) => {
    expect(importing(documentOf(at(url), [own, {}], [{}, own]))).toMatchObject({
      baseUrl: 'https://api.example.com/v2',
      taken: [0, 1],
    })
  })

  test('is the base URL if most operations name it', () => {
    const other = at('https://files.example.com')
    expect(importing(documentOf({}, [other, {}], [own, {}], [{}, own]))).toMatchObject({
      baseUrl: 'https://api.example.com/v2',
      taken: ['server', 0, 1],
    })
  })

  test('is none if an operation uses that of the document, or has none', () => {
    expect(importing(documentOf(at('https://api.example.com'), [own, {}], [{}, {}]))).toMatchObject({
      baseUrl: 'https://api.example.com',
      taken: ['server', 0],
    })
    expect(importing(documentOf({}, [own, {}], [{}, {}]))).toMatchObject({
      baseUrl: null,
      taken: ['server', 0],
    })
  })

  test('lets the operations in even if it is relative', () => {
    expect(importing(documentOf({}, [at('/v2'), {}], [{}, at('/v2/')]))).toEqual({
      baseUrl: null,
      taken: [0, 1],
      notes: ['The server /v2 is relative, so it cannot be a base URL.'],
    })
  })
})

test('resolves a relative server against the address of the document, and says so', () => {
  expect(importing(documentOf(at('/v2'), [{}, {}]), 'https://api.example.com/docs/openapi.json')).toEqual({
    baseUrl: 'https://api.example.com/v2',
    taken: [0],
    notes: [
      'The server /v2 is relative to the address of the document, so the base URL is https://api.example.com/v2.',
    ],
  })
})

test('bounds the length of a server with the defaults of its variables', () => {
  const variables = { a: { default: 'x'.repeat(2000) } }
  const { notes } = importing(
    documentOf(at(`https://example.com/${'{a}'.repeat(600)}`, { variables }), [{}, {}]),
  )
  expect(notes).toEqual([expect.stringMatching(/^The server .{200} is too long for a base URL\.$/)])
})

describe('a Swagger operation with schemes of its own', () => {
  const swagger = (root: object, ...schemes: readonly (readonly string[] | undefined)[]) => {
    const operations = schemes.map(one => [{}, one === undefined ? {} : { schemes: one }] as const)
    return documentOf({ openapi: undefined, swagger: '2.0', ...root }, ...operations)
  }
  const host = { host: 'api.example.com', basePath: '/v2' }

  test.each<[name: string, text: string, baseUrl: string | null, taken: unknown[]]>([
    [
      'has that of the document',
      swagger({ ...host, schemes: ['https'] }, ['https'], ['http', 'https']),
      'https://api.example.com/v2',
      [0, 1],
    ],
    [
      'has another one',
      swagger({ ...host, schemes: ['https'] }, ['http'], undefined),
      'https://api.example.com/v2',
      ['server', 0],
    ],
    ['has the same as all others', swagger(host, ['http'], ['http']), 'http://api.example.com/v2', [0, 1]],
    [
      'has only one that cannot be called',
      swagger(host, ['wss'], undefined),
      'https://api.example.com/v2',
      ['server', 0],
    ],
    ['has no host', swagger({}, ['https'], ['https']), null, [0, 1]],
  ])('%s', (_name, text, baseUrl, taken) => {
    expect(importing(text)).toMatchObject({ baseUrl, taken })
  })
})

test('a Postman collection has one base URL, however its requests spell it', () => {
  const urls = [
    'https://api.example.com/v2/orders',
    'HTTPS://API.example.com:443/v2/parcels',
    'api.example.com/v2/depots',
    '{{base}}/v2/routes',
    'https://files.example.com/v2/labels',
  ]
  const text = JSON.stringify({
    info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    variable: [{ key: 'base', value: 'https://Api.example.com/' }],
    item: urls.map((url, index) => ({ name: `Request ${index}`, request: { method: 'GET', url } })),
  })
  const { recognized, operations, omissions } = read(text, 'postman')
  expect(recognized?.baseUrl).toBe('https://api.example.com')
  expect(operations?.map(({ name }) => name)).toEqual([
    'GET /v2/orders',
    'GET /v2/parcels',
    'GET /v2/depots',
    'GET /v2/routes',
  ])
  expect(omissions.map(({ name }) => name)).toEqual(['Request 4'])
})
