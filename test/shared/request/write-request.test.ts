import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinUrl } from '#shared/model/action-url.ts'
import type { SentParameter } from '#shared/model/parameter.ts'
import { type SendingAction, writeRequest } from '#shared/request/write-request.ts'

const parameter = (fields: Partial<SentParameter>): SentParameter => ({
  ...{ name: 'a', type: 'string', required: true },
  ...fields,
})
const action = (fields: Partial<SendingAction>): SendingAction => ({
  ...{ method: 'POST', path: '/x', headers: null, parameters: [], sendsBody: undefined },
  ...fields,
})

function written(fields: Partial<SendingAction>, given: Record<string, unknown>) {
  const request = writeRequest(action(fields), given)
  if ('issues' in request) throw new Error(JSON.stringify(request.issues))
  return request
}

/** Returns the messages of arguments that cannot be sent. */
function refused(fields: Partial<SendingAction>, given: Record<string, unknown>): string[] {
  const request = writeRequest(action(fields), given)
  return 'issues' in request ? request.issues.map(({ message }) => message) : []
}

const query = (one: Partial<SentParameter>, value: unknown) =>
  written({ parameters: [parameter({ in: 'query', ...one })] }, { a: value }).path.slice('/x'.length)

describe('the query of a call', () => {
  test.each<[Partial<SentParameter>, unknown, string]>([
    [{}, 'b c&d', '?a=b%20c%26d'],
    [{ wireName: 'page[size]' }, 5, '?page%5Bsize%5D=5'],
    [{}, 1e-7, '?a=0.0000001'],
    [{}, JSON.rawJSON('12345678901234567890'), '?a=12345678901234567890'],
    [{}, false, '?a=false'],
    [{}, [1, 'b c'], '?a=1&a=b%20c'],
    [{ style: 'repeat' }, [null], '?a='],
    [{ style: 'comma' }, ['b,c', 'd'], '?a=b%2Cc,d'],
    [{ style: 'pipe' }, [1, 2], '?a=1|2'],
    [{ style: 'space' }, [1, 2], '?a=1%202'],
    [{ style: 'brackets' }, [1, 2], '?a%5B%5D=1&a%5B%5D=2'],
    [{ style: 'indexed' }, [{ b: [1] }, 2], '?a%5B0%5D%5Bb%5D%5B0%5D=1&a%5B1%5D=2'],
    [{}, { b: 1.5, c: null }, '?a=%7B%22b%22%3A1.5%2C%22c%22%3Anull%7D'],
    [{ style: 'fields' }, { b: 1, c: 'd' }, '?b=1&c=d'],
    [{ style: 'deep' }, { b: { c: [true] }, d: null }, '?a%5Bb%5D%5Bc%5D%5B0%5D=true&a%5Bd%5D='],
    [{ style: 'comma' }, { b: 1, c: 2 }, '?a=b,1,c,2'],
    [{}, [], ''],
    [{ style: 'deep' }, {}, ''],
    [{}, null, ''],
    [{ value: 'v1' }, undefined, '?a=v1'],
  ])('%j of %j is %s', (one, value, expected) => {
    expect(query(one, value)).toBe(expected)
  })

  test.each<[Partial<SentParameter>, unknown, string]>([
    [{}, [[1]], 'a has a list or an object inside, which cannot be written here.'],
    [{ style: 'fields' }, { b: {} }, 'a has a list or an object inside, which cannot be written here.'],
    [{ style: 'space' }, ['b c'], 'a has a space in one of its values, which separates them here.'],
    [
      { style: 'deep' },
      { 'b][c': 1 },
      'a has a key that is empty or has a bracket, which cannot be sent here.',
    ],
    [{ style: 'fields' }, { other: 1 }, 'a has the key "other", which is another parameter.'],
    [
      { style: 'fields' },
      { 'other[b]': 1 },
      'a has a key that is empty or has a bracket, which cannot be sent here.',
    ],
    [{ style: 'fields' }, { fixed: 1 }, 'a has the key "fixed", which is another parameter.'],
  ])('%j cannot be %j', (one, value, message) => {
    const parameters = [parameter({ in: 'query', ...one }), parameter({ name: 'other', in: 'query' })]
    expect(refused({ path: '/x?fixed=1', parameters }, { a: value })).toEqual([message])
  })
})

describe('an argument with keys', () => {
  const deep = parameter({ type: 'object', in: 'query', style: 'deep' })

  test('cannot be another parameter, a fixed one, or the sign-in', () => {
    const issue = 'a has the key "a[b]", which is another parameter.'
    const parameters = [deep, parameter({ name: 'b', wireName: 'a[b]', in: 'query' })]
    expect(refused({ parameters }, { a: { b: 1 } })).toEqual([issue])
    expect(refused({ parameters }, { a: { b: [1] } })).toEqual([
      'a has the key "a[b][0]", which is another parameter.',
    ])
    expect(refused({ path: '/x?a[b]=1', parameters: [deep] }, { a: { b: 1 } })).toEqual([issue])
    expect(writeRequest(action({ parameters: [deep] }), { a: { b: 1 } }, 'a[b]')).toEqual({
      issues: [{ path: 'a', message: issue }],
    })
    expect(written({ parameters }, { a: { bc: 1 }, b: 2 }).path).toBe('/x?a%5Bbc%5D=1&a%5Bb%5D=2')
  })
})

describe('an argument that is far larger once it is written', () => {
  const ones = Array.from({ length: 100_000 }, () => 1)
  const name = 'n'.repeat(200)
  const tooLarge = 'a is too large once it is written.'
  const headers = { 'Content-Type': 'multipart/form-data' }

  test('is refused', () => {
    expect(refused({ parameters: [parameter({ in: 'query', wireName: name })] }, { a: ones })).toEqual([
      tooLarge,
    ])
    expect(refused({ headers, parameters: [parameter({ in: 'body' })] }, { a: ones })).toEqual([
      'a makes more than 10000 parts.',
    ])
  })

  test('is refused together with others', () => {
    const parameters = ['b', 'c', 'a'].map(one => parameter({ name: one, in: 'query', wireName: one + name }))
    const few = ones.slice(0, 30_000)
    expect(refused({ parameters }, { b: few, c: few, a: few })).toEqual([tooLarge])
  })
})

describe('the path of a call', () => {
  const path = (value: unknown, one: Partial<SentParameter> = {}, template = '/o/{a}/x?y=1') => {
    const parameters = [parameter({ in: 'path', ...one })]
    return (
      [...refused({ path: template, parameters }, { a: value }), ''][0] ||
      written({ path: template, parameters }, { a: value }).path
    )
  }

  test.each<[unknown, string]>([
    ['b c', '/o/b%20c/x?y=1'],
    ['../../admin', '/o/..%2F..%2Fadmin/x?y=1'],
    ['a?b#c', '/o/a%3Fb%23c/x?y=1'],
    ['%2e%2e', '/o/%252e%252e/x?y=1'],
    ['a\u0000b', '/o/a%00b/x?y=1'],
    ['...', '/o/.../x?y=1'],
    [['a', 'b/c'], '/o/a,b%2Fc/x?y=1'],
    [{ b: 1, c: 2 }, '/o/b,1,c,2/x?y=1'],
    ['', 'a must not be empty: it is a part of the path.'],
    ['.', 'a must not be . or .., which lead to another path.'],
    ['..', 'a must not be . or .., which lead to another path.'],
    ['a\ud800', 'a must be valid Unicode: it is a part of the path.'],
    [[], 'a must not be empty: it is a part of the path.'],
  ])('of %j is %s', (value, expected) => {
    expect(path(value)).toBe(expected)
  })

  test('takes fields of an object, several placeholders a segment, and constants', () => {
    expect(path({ b: 1, c: 'd e' }, { style: 'fields' })).toBe('/o/b=1,c=d%20e/x?y=1')
    const parameters = [parameter({ in: 'path', value: 'v1' }), parameter({ name: 'b', in: 'path' })]
    expect(written({ path: '/{a}-{b}', parameters }, { b: '.' }).path).toBe('/v1-.')
    expect(
      refused(
        {
          path: '/{b}{c}',
          parameters: [parameter({ name: 'b', in: 'path' }), parameter({ name: 'c', in: 'path' })],
        },
        { b: '.', c: '.' },
      ),
    ).toEqual(['b must not be . or .., which lead to another path.'])
  })

  test('is one segment, whatever the value, and changes nothing else of the URL', () => {
    const parameters = [parameter({ in: 'path' }), parameter({ name: 'q', in: 'query' })]
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, q) => {
        const request = writeRequest(action({ path: '/o/{a}/x?y=1', parameters }), { a, q })
        if ('issues' in request) return
        const { origin, target } = joinUrl('https://host.example:8443/base', request.path)
        expect(origin).toBe('https://host.example:8443')
        const url = new URL(origin + target)
        const [, base, o, own = '', x] = url.pathname.split('/')
        expect([base, o, x, url.pathname.split('/').length]).toEqual(['base', 'o', 'x', 5])
        expect(decodeURIComponent(own)).toBe(a)
        expect([...url.searchParams]).toEqual([
          ['y', '1'],
          ['q', q.toWellFormed()],
        ])
        expect(url.hash).toBe('')
      }),
    )
  })
})

describe('a header of a call', () => {
  const header = (value: unknown, one: Partial<SentParameter> = {}) => {
    const parameters = [parameter({ in: 'header', wireName: 'X-A', ...one })]
    const request = writeRequest(action({ parameters }), { a: value })
    return 'issues' in request ? request.issues[0]?.message : request.headers['X-A']
  }

  test.each<[unknown, string | undefined]>([
    ['b c', 'b c'],
    [5, '5'],
    [['b', 'c'], 'b,c'],
    [{ b: 1 }, 'b,1'],
    [[], undefined],
    ['a\r\nX-B: c', 'a contains a character that a header cannot carry.'],
    ['€', 'a contains a character that a header cannot carry.'],
    [' b', 'a begins or ends with a space, which a header loses.'],
    [['b,c'], 'a has a comma in one of its values, which separates them here.'],
  ])('of %j is %s', (value, expected) => {
    expect(header(value)).toBe(expected)
  })
})

describe('the body of a call', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const multipart = { 'Content-Type': 'multipart/form-data' }
  const nullable = { type: ['string', 'null'] }

  test.each<[string, Partial<SendingAction>, Record<string, unknown>, unknown]>([
    [
      'is JSON with the names of the request',
      { parameters: [parameter({ wireName: 'A B' })] },
      { a: 1 },
      '{"A B":1}',
    ],
    [
      'has null where the schema allows it',
      { parameters: [parameter({ in: 'body', schema: nullable })] },
      { a: null },
      '{"a":null}',
    ],
    ['leaves out null elsewhere', { parameters: [parameter({ in: 'body' })] }, { a: null }, '{}'],
    [
      'has a constant that is null',
      { parameters: [parameter({ in: 'body', value: null })] },
      {},
      '{"a":null}',
    ],
    ['is a list', { parameters: [parameter({ in: 'entireBody', isList: true })] }, { a: ['b'] }, '["b"]'],
    [
      'is a form',
      { headers: form, parameters: [parameter({ in: 'body' })] },
      { a: { b: [1] } },
      'a%5Bb%5D%5B0%5D=1',
    ],
    [
      'is a text',
      { headers: { 'content-type': 'text/plain' }, parameters: [parameter({ in: 'entireBody' })] },
      { a: 'b' },
      'b',
    ],
    [
      'of a vendor type is JSON',
      { headers: { 'Content-Type': 'application/vnd.a+json; v=1' }, parameters: [parameter({ in: 'body' })] },
      { a: 'b' },
      '{"a":"b"}',
    ],
  ])('%s', (_name, fields, given, text) => {
    expect(written(fields, given).body).toEqual({ kind: 'text', text })
  })

  test.each<[string, Partial<SendingAction>, Record<string, unknown>]>([
    ['a GET', { method: 'GET', parameters: [parameter({ in: 'query' })] }, { a: 1 }],
    ['an operation without one', { sendsBody: false, parameters: [parameter({})] }, { a: 1 }],
    ['an empty form', { headers: form, parameters: [parameter({ in: 'body' })] }, {}],
    [
      'a whole body that is not given',
      { parameters: [parameter({ in: 'entireBody', required: false })] },
      {},
    ],
  ])('is none for %s', (_name, fields, given) => {
    expect(written(fields, given).body).toEqual({ kind: 'none' })
  })

  test('has no file that is not base64', () => {
    const file = { schema: { type: 'string', contentEncoding: 'base64' } }
    const headers = { 'Content-Type': 'image/png' }
    for (const place of ['body', 'entireBody'] as const)
      expect(
        refused(
          {
            headers: place === 'body' ? multipart : headers,
            parameters: [parameter({ in: place, ...file })],
          },
          { a: 'hello, world!' },
        ),
      ).toEqual(['a must be base64.'])
    const lines = written(
      { headers, parameters: [parameter({ in: 'entireBody', ...file })] },
      { a: 'AA\r\nE=\n' },
    )
    expect(lines.body.kind).toBe('bytes')
  })

  test('is parts: texts, JSON, and files', () => {
    const parameters = [
      parameter({ in: 'body' }),
      parameter({ name: 'o', type: 'object', in: 'body' }),
      parameter({ name: 'f', in: 'body', schema: { type: 'string', contentEncoding: 'base64' } }),
    ]
    expect(
      written({ headers: multipart, parameters }, { a: ['b', 'c'], o: { d: 1 }, f: 'AAE=' }).body,
    ).toEqual({
      kind: 'parts',
      parts: [
        { name: 'a', content: { text: 'b' }, contentType: null },
        { name: 'a', content: { text: 'c' }, contentType: null },
        { name: 'o', content: { text: '{"d":1}' }, contentType: 'application/json' },
        { name: 'f', content: { base64: 'AAE=' }, contentType: 'application/octet-stream' },
      ],
    })
  })
})

describe('what a strict reader of a style reads', () => {
  const texts = fc.array(fc.string({ minLength: 1 }), { minLength: 1 })
  const pairs = (path: string) => [...new URLSearchParams(path.slice(path.indexOf('?') + 1))]
  const raw = (path: string) => path.slice(path.indexOf('=') + 1)

  test.each<[SentParameter['style'], (path: string) => string[]]>([
    ['repeat', path => pairs(path).map(([, value]) => value)],
    ['brackets', path => pairs(path).map(([, value]) => value)],
    ['indexed', path => pairs(path).map(([, value]) => value)],
    ['comma', path => raw(path).split(',').map(decodeURIComponent)],
    ['pipe', path => raw(path).split('|').map(decodeURIComponent)],
  ])('of %s is the list that was given', (style, readBack) => {
    fc.assert(
      fc.property(texts, list => {
        expect(readBack(query({ style }, list))).toEqual(list)
      }),
    )
  })

  const tree = fc.letrec<{ node: unknown }>(tie => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[a-z %&=+]{1,8}$/), tie('node'), { minKeys: 1, maxKeys: 3 }),
    ),
  })).node

  test('of deep is the object that was given', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z ]{1,5}$/), tree, { minKeys: 1 }), object => {
        const leaves = new Map<string, unknown>()
        const collect = (name: string, value: unknown): void => {
          if (typeof value !== 'object' || value === null) leaves.set(name, value)
          else for (const [key, part] of Object.entries(value)) collect(`${name}[${key}]`, part)
        }
        collect('a', object)
        expect(new Map(pairs(query({ style: 'deep' }, object)))).toEqual(leaves)
      }),
    )
  })
})
