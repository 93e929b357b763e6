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
/** Reads a document. `taken` has for each operation its server, the base URL as 0, or why it is left out. */
const importing = (text: string, documentUrl: string | null = null) => {
  const {
    recognized,
    operations,
    problems,
    servers = [],
  } = readImport(text, 'openapi', null, {}, documentUrl)
  return {
    baseUrl: recognized?.baseUrl,
    servers: servers.map(({ url }) => url),
    taken: (operations ?? []).map(({ server, leftOut }) => leftOut?.reason ?? server),
    notes: problems.map(({ message }) => message),
  }
}

describe('an operation that repeats the server of the document is at the base URL', () => {
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
      expect(importing(documentOf(root, pair, [{}, {}]), documentUrl).taken).toEqual([0, 0])
  })

  test.each<[name: string, own: Part, taken: unknown]>([
    ['another host', at('https://files.example.com'), 1],
    ['another path', at('https://api.example.com/v3'), 1],
    ['a longer path', at('https://api.example.com/v2/beta'), 1],
    ['another port', at('https://api.example.com:8443/v2'), 1],
    ['http instead of https', at('http://api.example.com/v2'), 1],
    ['a query', at('https://api.example.com/v2?a=1'), 'server'],
    ['another variable', at('https://{host}/v2'), 'server'],
  ])('but not one with %s', (_name, own, taken) => {
    for (const pair of [
      [own, {}],
      [{}, own],
      [at('https://api.example.com/v2'), own],
    ] as const)
      expect(importing(documentOf(at('https://api.example.com/v2'), pair, [{}, {}])).taken).toEqual([
        taken,
        0,
      ])
  })
})

describe('a server that all operations share', () => {
  const own = at('https://api.example.com/v2/')

  test('is the base URL if the document has none, and is named', () => {
    expect(importing(documentOf({}, [own, {}], [{}, at('https://API.example.com/v2')]))).toEqual({
      baseUrl: 'https://api.example.com/v2',
      servers: ['https://api.example.com/v2'],
      taken: [0, 0],
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
      taken: [0, 0],
    })
  })

  test('is the base URL if most operations name it', () => {
    const other = at('https://files.example.com')
    expect(importing(documentOf({}, [other, {}], [own, {}], [{}, own]))).toMatchObject({
      baseUrl: 'https://api.example.com/v2',
      servers: ['https://api.example.com/v2', 'https://files.example.com'],
      taken: [1, 0, 0],
    })
  })

  test('is none if an operation uses that of the document, or has none', () => {
    expect(importing(documentOf(at('https://api.example.com'), [own, {}], [{}, {}]))).toMatchObject({
      baseUrl: 'https://api.example.com',
      servers: ['https://api.example.com', 'https://api.example.com/v2'],
      taken: [1, 0],
    })
    expect(importing(documentOf({}, [own, {}], [{}, {}]))).toMatchObject({
      baseUrl: null,
      servers: ['/', 'https://api.example.com/v2'],
      taken: [1, 0],
    })
  })

  test('lets the operations in even if it is relative', () => {
    expect(importing(documentOf({}, [at('/v2'), {}], [{}, at('/v2/')]))).toEqual({
      baseUrl: null,
      servers: ['/v2'],
      taken: [0, 0],
      notes: ['The server /v2 is relative, so it cannot be a base URL.'],
    })
  })
})

test('resolves a relative server against the address of the document, and says so', () => {
  expect(importing(documentOf(at('/v2'), [{}, {}]), 'https://api.example.com/docs/openapi.json')).toEqual({
    baseUrl: 'https://api.example.com/v2',
    servers: ['https://api.example.com/v2'],
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
      [0, 0],
    ],
    [
      'has another one',
      swagger({ ...host, schemes: ['https'] }, ['http'], undefined),
      'https://api.example.com/v2',
      [1, 0],
    ],
    ['has the same as all others', swagger(host, ['http'], ['http']), 'http://api.example.com/v2', [0, 0]],
    [
      'has only one that cannot be called',
      swagger(host, ['wss'], undefined),
      'https://api.example.com/v2',
      ['server', 0],
    ],
    ['has no host', swagger({}, ['https'], ['https']), null, [0, 0]],
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

describe('servers that operations need', () => {
  const api = at('https://api.example.com/v2')
  const files = at('https://files.example.com')

  test('are connections with names of their own: by host, path or scheme', () => {
    const urls = [
      'https://files.example.com/a',
      'https://api.example.com/v3',
      'https://cdn.example.com/x',
      'http://cdn.example.com/x',
      'https://cdn.example.com',
    ]
    const text = documentOf(api, [{}, {}], ...urls.map(url => [at(url), {}] as const))
    const { servers = [] } = readImport(text, 'openapi', null)
    expect(servers.map(({ url, name }) => [url, name])).toEqual([
      ['https://api.example.com/v2', 'Shop'],
      ['https://files.example.com/a', 'Shop (files.example.com)'],
      ['https://api.example.com/v3', 'Shop (api.example.com/v3)'],
      ['https://cdn.example.com/x', 'Shop (https://cdn.example.com/x)'],
      ['http://cdn.example.com/x', 'Shop (http://cdn.example.com/x)'],
      ['https://cdn.example.com', 'Shop (cdn.example.com/)'],
    ])
  })

  test('have names that fit, however long the title and the host are', () => {
    const long = at(`https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/${'c'.repeat(900)}`)
    const { servers = [] } = readImport(
      documentOf({ ...api, info: { title: 't'.repeat(300) } }, [{}, {}], [long, {}]),
      'openapi',
      null,
    )
    expect(servers.map(({ name }) => name.length)).toEqual([120, 120])
    expect(servers[1]?.name).toMatch(/^t+… \(a{60}\.b+…\)$/)
  })

  test('are the first that can be called of those that an operation names', () => {
    const both = {
      servers: [{ url: 'wss://files.example.com' }, ...files.servers, { url: 'https://b.example' }],
    }
    expect(importing(documentOf(api, [{}, {}], [{}, both]))).toMatchObject({
      servers: ['https://api.example.com/v2', 'https://files.example.com'],
      taken: [0, 1],
    })
  })

  test.each([
    [
      'wss://x.example',
      'the server wss://x.example cannot be a base URL: Write an absolute URL: https://api.example.com',
    ],
    ['/v2', 'the server /v2 is relative, so it cannot be a base URL'],
    [
      'https://{host}',
      'the server https://{host} has a variable without a default, so it cannot be a base URL',
    ],
    ['https://x.example/whsec_abc', 'its server contains a signing secret'],
    ['https://user:pass@x.example', /Remove the user name and password/],
    [`https://x.example/${'x'.repeat(3000)}`, /is too long for a base URL$/],
  ])('are left out if they cannot be called: %s', (url, message) => {
    const { operations } = readImport(documentOf(api, [{}, {}], [{}, at(url)]), 'openapi', null)
    expect(operations?.[1]?.leftOut).toEqual({
      reason: 'server',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })

  test('that are relative are resolved against the address of the document, and noted', () => {
    expect(
      importing(documentOf(api, [{}, {}], [at('/upload'), {}]), 'https://docs.example.com/openapi.json'),
    ).toMatchObject({
      servers: ['https://api.example.com/v2', 'https://docs.example.com/upload'],
      taken: [0, 1],
      notes: [
        'The server /upload is relative to the address of the document, so the base URL is https://docs.example.com/upload.',
      ],
    })
  })

  test('are at most 20; operations at others are left out, with the reason', () => {
    const many = Array.from({ length: 25 }, (_, index) => [{}, at(`https://${index}.example`)] as const)
    const { servers, taken } = importing(documentOf(api, [{}, {}], ...many))
    expect(servers).toHaveLength(20)
    expect(taken).toEqual([...Array.from({ length: 20 }, (_, index) => index), ...Array(6).fill('server')])
    const { operations } = readImport(documentOf(api, [{}, {}], ...many), 'openapi', null)
    expect(operations?.at(-1)?.leftOut?.message).toBe(
      'its operations need more than 20 servers, and its own is not among the first',
    )
  })

  test('do not change the tool names at the base URL', () => {
    const own = (part: Part) => [{}, { operationId: 'find', ...part }] satisfies [Part, object]
    const { content } = readImport(documentOf(api, own(files), own({})), 'openapi', null)
    expect(content?.actions.map(({ fields }) => fields.toolName)).toEqual(['find_2', 'find'])
  })
})

describe('alternatives of the whole document', () => {
  const root = {
    servers: [...at('https://api.example.com').servers, ...at('https://sandbox.example.com').servers],
  }
  const shown = (text: string, ...wanted: string[]) => {
    const { servers = [], operations } = readImport(
      text,
      'openapi',
      null,
      {},
      null,
      undefined,
      new Set(wanted),
    )
    return {
      servers: servers.map(({ url, isAlternative, isNeeded }) => [url, isAlternative, isNeeded]),
      taken: operations?.map(({ server }) => server),
    }
  }

  test('are offered, and the first is taken', () => {
    expect(shown(documentOf(root, [{}, {}]))).toEqual({
      servers: [
        ['https://api.example.com', true, true],
        ['https://sandbox.example.com', true, false],
      ],
      taken: [0],
    })
  })

  test('are the base URL if they are asked for', () => {
    expect(shown(documentOf(root, [{}, {}]), 'https://sandbox.example.com')).toEqual({
      servers: [
        ['https://sandbox.example.com', true, true],
        ['https://api.example.com', true, false],
      ],
      taken: [0],
    })
  })

  test('can be needed by an operation too', () => {
    const text = documentOf(root, [{}, {}], [{}, at('https://sandbox.example.com')])
    expect(shown(text)).toEqual({
      servers: [
        ['https://api.example.com', true, true],
        ['https://sandbox.example.com', true, true],
      ],
      taken: [0, 1],
    })
    expect(shown(text, 'https://sandbox.example.com').taken).toEqual([0, 0])
  })

  test('are not offered if they cannot be called, or no operation uses those of the document', () => {
    const odd = { servers: [...root.servers, { url: 'wss://x.example' }, { url: 'https://{host}' }] }
    expect(shown(documentOf(odd, [{}, {}])).servers).toHaveLength(2)
    expect(shown(documentOf(root, [at('https://own.example'), {}])).servers).toEqual([
      ['https://own.example', false, true],
    ])
  })
})
