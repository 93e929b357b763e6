import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import type { ImportFormat } from '#shared/model/import-preview.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const preview = (text: string, format: ImportFormat = 'document') =>
  previewImport(newConfig(nowMs), read(text, format), newConnection)
const messages = (text: string, format: ImportFormat = 'document') =>
  preview(text, format).issues.map(({ message }) => message)

/** A document of exactly this many bytes, most of them in one description of é, which takes two. */
function documentOf(bytes: number): string {
  const make = (filling: string) =>
    JSON.stringify({ connection: { name: 'Big' }, actions: [], note: filling })
  const room = bytes - Buffer.byteLength(make(''))
  return make('é'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2))
}

describe('size', () => {
  test('of 16 MiB is read, of a byte more is not, in any format', () => {
    const whole = documentOf(maxImportBytes)
    expect(Buffer.byteLength(whole)).toBe(maxImportBytes)
    expect(preview(whole).valid).toBe(true)
    const larger = documentOf(maxImportBytes + 1)
    for (const format of ['document', 'openapi', 'curl'] as const) {
      expect(messages(larger, format)).toEqual(['The text is larger than 16 MiB.'])
      expect(preview(larger, format).issues).toMatchObject([{ line: 1, column: 1, severity: 'error' }])
    }
  })

  test('of YAML is 4 MiB at most', () => {
    const yaml = `openapi: 3.0.0\n# ${'x'.repeat(4 * 1024 * 1024)}\n`
    expect(messages(yaml, 'openapi')).toEqual([
      'The YAML document is larger than 4 MiB. Convert it to JSON, which may be larger.',
    ])
  })
})

describe('braces', () => {
  const message = 'A word has more than 10000 opening braces ({).'

  test('of a word are 10,000 at most', () => {
    const command = (braces: number) => `curl https://a.example/${'{a,'.repeat(braces)}`
    expect(messages(command(10_000), 'curl')).not.toContain(message)
    expect(messages(command(10_001), 'curl')).toEqual([message])
  })

  test('of a quoted body may be more', () => {
    const body = JSON.stringify(Array.from({ length: 10_001 }, () => ({ a: 1 })))
    expect(messages(`curl https://a.example -d '${body}'`, 'curl')).not.toContain(message)
  })
})

describe('nesting', () => {
  const nested = (levels: number) =>
    `{"connection": {"name": "Deep"}, "events": [{"eventName": "a", "samplePayload": {"a": ${'['.repeat(levels)}${']'.repeat(levels)}}}]}`

  test('of 1,000 levels is read, of one more is not', () => {
    // The document itself has four.
    expect(preview(nested(996)).valid).toBe(true)
    expect(messages(nested(997))).toEqual(['The document is nested deeper than 1000 levels.'])
  })

  const levels = 100_000
  test.each<[string, string, ImportFormat]>([
    ['lists', '['.repeat(levels) + ']'.repeat(levels), 'document'],
    ['objects', '{"a":'.repeat(levels) + 1 + '}'.repeat(levels), 'document'],
    ['a sample', nested(levels), 'document'],
    ['a list that is not closed', '['.repeat(levels), 'document'],
    ['objects that are not closed', '{"a":'.repeat(levels), 'document'],
    [
      'OpenAPI in JSON',
      `{"openapi":"3.0.0","paths":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`,
      'openapi',
    ],
    ['lists in YAML', `a: ${'['.repeat(levels)}${']'.repeat(levels)}`, 'openapi'],
    ['a list in a list in YAML', `${'- '.repeat(levels)}a`, 'openapi'],
    ['objects in YAML that are not closed', 'x: {a: '.repeat(levels / 10), 'openapi'],
    ['substitutions in a shell', `curl ${'$('.repeat(levels)}`, 'curl'],
    ['brackets in a shell', `curl ${'('.repeat(levels)}`, 'curl'],
    ['JSON in a body', `curl https://a.example -d '${'['.repeat(levels)}'`, 'curl'],
  ])('of 100,000 levels overflows no stack: %s', (_name, text, format) => {
    const { valid, issues } = preview(text, format)
    expect(issues.length).toBeGreaterThan(0)
    expect(valid).toBe(format === 'curl' && text.includes('-d'))
  })

  test.each([
    ['lists', (count: number) => '['.repeat(count)],
    ['lists with faults', (count: number) => '[,'.repeat(count)],
    ['maps', (count: number) => '{a: '.repeat(count)],
    ['lists in lists', (count: number) => `\n  ${'- '.repeat(count)}`],
    ['keys', (count: number) => `\n  ${'? '.repeat(count)}`],
  ])('of YAML is told before it is parsed: %s', (_name, open) => {
    const api = (count: number) => `openapi: 3.0.0\npaths: ${open(count)}`
    const { issues } = preview(api(100_000), 'openapi')
    expect(issues).toMatchObject([
      { message: 'The document is nested deeper than 1000 levels.', line: open(1).startsWith('\n') ? 3 : 2 },
    ])
    expect(messages(api(500), 'openapi')).not.toContain(issues[0]?.message)
  })

  test('of YAML is not counted where brackets and indicators are text', () => {
    const texts = ['|\n', '"', "'"].map(
      (quote, index) =>
        `x-${index}: ${quote}${'  [ - ? {\n'.repeat(2000)}  ${quote.trim().replace('|', '')}\n`,
    )
    const { valid } = preview(
      `openapi: 3.0.0\ninfo: {title: x}\nservers: [url: 'https://a.example']\n${texts.join('')}paths: {}`,
      'openapi',
    )
    expect(valid).toBe(true)
  })
})

describe('a document with more problems than anybody reads', () => {
  test('never loses an error behind warnings', () => {
    const unknown = Array.from({ length: 5000 }, (_, index) => `"unknown${index}": 1`).join(',')
    const { valid, issues } = preview(`{"connection": {"name": "x"}, ${unknown}, "actions": [1]}`)
    expect(valid).toBe(false)
    expect(issues.filter(({ severity }) => severity === 'error')).toMatchObject([{ path: 'actions[0]' }])
    expect(issues.filter(({ severity }) => severity === 'warning')).toHaveLength(1001)
  })
})

describe('counts', () => {
  test('of actions and event types are 10,000 at most, and no entry of a longer list is looked at', () => {
    const event = (_: unknown, index: number) => ({ eventName: `e${index}` })
    const events = (length: number) =>
      JSON.stringify({ connection: { name: 'x' }, events: Array.from({ length }, event) })
    expect(preview(events(10_000)).eventTypes.create).toHaveLength(10_000)
    expect(preview(events(10_001))).toMatchObject({
      valid: false,
      issues: [
        {
          path: 'events',
          message: 'The array has 10001 entries, but at most 10000 can be imported at once. Split it.',
        },
      ],
    })
    const { issues } = preview(`{"connection":{"name":"x"},"actions":[${'{},'.repeat(200_000)}{}]}`)
    expect(issues).toMatchObject([{ path: 'actions', severity: 'error' }])
  })

  test('of values are 1,000,000 at most, and a text with more is not parsed', () => {
    const of = (values: number) => `{"connection":{"name":"x"},"n":[${'1,'.repeat(values - 5)}"1,[{"]}`
    expect(preview(of(1_000_000)).valid).toBe(true)
    expect(messages(of(1_000_001))).toEqual([
      'The document has more than 1000000 values. Split it and import its parts.',
    ])
    expect(messages(`{"actions":[${'{},'.repeat(2_000_000)}{}]}`)).toHaveLength(1)
  })

  test('of YAML tokens are 600,000 at most', () => {
    expect(messages(`a: [${'x,'.repeat(300_000)}]`, 'openapi')).toEqual([
      'The YAML document has more than 600000 tokens. Convert it to JSON, which may have more.',
    ])
  })

  test('of unknown keys of one parameter may be large, and no list is passed as arguments', () => {
    const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',')
    const { issues } = preview(`{"connection":{"name":"x"},"actions":[{"parameters":[{${keys}}]}]}`)
    expect(issues.filter(({ severity }) => severity === 'warning')).toHaveLength(1001)
  })
})

describe('curl commands', () => {
  test('of thousands of words are refused, of thousands of parameters cut', () => {
    const headers = '-H "A: b" '.repeat(100_000)
    expect(messages(`curl https://a.example ${headers}`, 'curl')).toEqual([
      'The command has more than 2000 words.',
    ])
    const query = Array.from({ length: 100_000 }, (_, index) => `k${index}=v`).join('&')
    expect(preview(`curl 'https://a.example/?${query}'`, 'curl').unsupported).toMatchObject([
      {
        name: 'query',
        reason: 'only the first 200 of its parameters are imported; the action is imported disabled',
      },
    ])
  })
})

describe('YAML aliases', () => {
  const yaml = (rest: string) =>
    `openapi: 3.0.0\ninfo: {title: Shop}\nservers: [{url: https://a.example}]\n${rest}`

  test('give the value of their anchor, and merge keys bring in what is not there', () => {
    const text = yaml(`x-op: &op
  summary: Lists
  parameters: &list [{name: a, in: query, schema: {type: string}}]
paths:
  /a: {get: *op}
  /b: {get: {<<: *op, summary: Other}}
  /c: {get: {summary: Third, <<: [{summary: No, deprecated: true}, *op]}}
`)
    const { actions, valid, unsupported } = preview(text, 'openapi')
    expect(valid).toBe(true)
    expect(actions.create).toEqual(['lists', 'other', 'third'])
    expect(unsupported).toMatchObject([{ name: 'GET /c', line: 10 }])
  })

  test('without an anchor before them, within their own anchor, or of too many values are refused', () => {
    expect(messages(yaml('a: *none'), 'openapi')).toEqual(['The alias *none has no anchor before it.'])
    expect(messages(yaml('a: &a [*a]'), 'openapi')).toEqual(['The alias *a has no anchor before it.'])
    const bomb = Array.from({ length: 20 }, (_, i) => `b${i}: &b${i} [${'*b'.concat(`${i - 1},`).repeat(9)}]`)
    expect(messages(yaml(['b-1: &b-1 x', ...bomb].join('\n')), 'openapi')).toEqual([
      'The aliases repeat more than 1000000 values.',
    ])
  })
})

describe('OpenAPI documents that refer much', () => {
  const api = (rest: object) =>
    JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Much' },
      servers: [{ url: 'https://a.example' }],
      ...rest,
    })

  test('a chain of thousands of references and parts ends', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `S${index}`,
        {
          allOf: [
            { $ref: `#/components/schemas/S${index + 1}` },
            { $ref: `#/components/schemas/S${index + 2}` },
          ],
          properties: { [`p${index}`]: { type: 'string' } },
        },
      ]),
    )
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } }
    const { valid, actions } = preview(
      api({ paths: { '/a': { post: { requestBody: body } } }, components: { schemas } }),
      'openapi',
    )
    expect(valid).toBe(true)
    expect(actions.create).toEqual(['post_a'])
  })

  test('alternatives within alternatives are given up', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `S${index}`,
        {
          oneOf: [
            { $ref: `#/components/schemas/S${index + 1}` },
            { $ref: `#/components/schemas/S${index + 1}` },
          ],
        },
      ]),
    )
    const parameter = { name: 'q', in: 'query', schema: { $ref: '#/components/schemas/S0' } }
    const { unsupported } = preview(
      api({ paths: { '/a': { get: { parameters: [parameter] } } }, components: { schemas } }),
      'openapi',
    )
    expect(unsupported).toMatchObject([{ name: 'GET /a: q' }])
  })

  test('the spaces of a variable of Postman are read once', () => {
    const value = `{{${' '.repeat(9000)}!`
    const request = { method: 'POST', url: 'https://a.example/x', header: [{ key: 'X-A', value }] }
    const info = { name: 'a', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' }
    expect(preview(JSON.stringify({ info, item: [{ name: 'x', request }] }), 'postman').valid).toBe(true)
  })

  test('many operations that share a large body are refused rather than multiplied', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`p${index}`, { type: 'string' }]),
    )
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S' } } } }
    const paths = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`/p${index}`, { post: { requestBody: body } }]),
    )
    const text = api({ paths, components: { schemas: { S: { type: 'object', properties } } } })
    expect(messages(text, 'openapi')).toEqual([
      'The actions of the document are larger than 10 MiB in total. Split it.',
    ])
    const parameters = Array.from({ length: 1000 }, (_, index) => ({ name: `h${index}`, in: 'cookie' }))
    const shared = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`/p${index}`, { $ref: '#/components/pathItems/P' }]),
    )
    const cookies = api({ paths: shared, components: { pathItems: { P: { get: { parameters } } } } })
    expect(messages(cookies, 'openapi')).toEqual([
      'The operations have more than 200000 parameters in total.',
    ])
  })
})
