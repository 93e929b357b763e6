import { type OpenApiDocument, operationsOf } from '../openapi-document.ts'
import type { Random } from './random.ts'

/** One call of REST: the path as sent, and the bytes of the body or none. */
export type RestRequest = {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly contentType: string
  readonly body: string | undefined
}

/** Left out: what calls other systems, makes a copy of the whole data folder or never ends. */
const leftOut = new Set([
  'POST /connections/{connectionId}/actions/{actionId}/test',
  'POST /connections/{connectionId}/actions/{actionId}/check',
  'POST /workspaces/{workspaceId}/probe',
  'PUT /service/listener',
  'POST /backup',
  'POST /samples',
  'GET /activity',
  'GET /live',
])

/** Ids that exist, by the name of the path parameter. */
export type KnownIds = Readonly<Record<string, string>>

/** Returns a function that makes calls of every operation of the document: right, nearly right and absurd. */
export function createRestFuzzer(
  document: OpenApiDocument,
  ids: KnownIds,
  random: Random,
): () => RestRequest {
  const operations = operationsOf(document).filter(([name]) => !leftOut.has(name))
  return () => {
    const [name, operation] = operations[random.int(operations.length)] ?? unreachable()
    const [method = '', template = ''] = name.split(' ')
    const known = random.chance(0.8)
    let path = template.replace(/\{(\w+)\}/g, (_, parameter: string) =>
      encode((known ? ids[parameter] : undefined) ?? oddText(random)),
    )
    const query = (operation.parameters ?? []).filter(({ in: place }) => place === 'query')
    const pairs = query
      .filter(() => random.chance(0.4))
      .map(
        ({ name: key }) => `${key}=${encode(random.chance(0.5) ? String(random.int(300)) : oddText(random))}`,
      )
    if (random.chance(0.05)) pairs.push(`${encode(oddText(random))}=1`)
    if (pairs.length > 0) path += `?${pairs.join('&')}`
    const schema = operation.requestBody?.content['application/json']?.schema
    return {
      operation: name,
      method,
      path,
      contentType: random.chance(0.97)
        ? 'application/json'
        : random.pick(['text/plain', 'x', 'application/json; charset=x']),
      body: method === 'GET' ? undefined : bodyText(schema, document, random),
    }
  }
}

/** Percent-encoded, but for some that are sent as they come, broken escapes among them. */
function encode(text: string): string {
  return text === '%00' ? text : encodeURIComponent(text.toWellFormed())
}

function bodyText(schema: unknown, document: OpenApiDocument, random: Random): string | undefined {
  if (schema === undefined && random.chance(0.8)) return undefined
  const shape = random.next()
  if (shape < 0.05)
    return random.pick([
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"a":1}{',
      '\ufeff{}',
      '{"__proto__":{"a":1}}',
      '[[[['.repeat(5000),
    ])
  const value = shape < 0.15 ? anyValue(random, 3) : fromSchema(schema, document, random, 0)
  return JSON.stringify(value)
}

/** A value that the schema would take, with a wrong one in its place now and then. */
function fromSchema(schema: unknown, document: OpenApiDocument, random: Random, depth: number): unknown {
  if (depth > 8 || typeof schema !== 'object' || schema === null || random.chance(0.08))
    return anyValue(random, 2)
  const fields = new Map(Object.entries(schema))
  const reference = fields.get('$ref')
  if (typeof reference === 'string')
    return fromSchema(resolve(reference, document), document, random, depth + 1)
  if (fields.has('const')) return fields.get('const')
  for (const key of ['enum', 'anyOf', 'oneOf']) {
    const choices = fields.get(key)
    if (!Array.isArray(choices) || choices.length === 0) continue
    const choice: unknown = choices[random.int(choices.length)]
    return key === 'enum' ? choice : fromSchema(choice, document, random, depth + 1)
  }
  const type = fields.get('type')
  switch (Array.isArray(type) ? type[random.int(type.length)] : type) {
    case 'string':
      return random.chance(0.7) ? plausibleText(random) : oddText(random)
    case 'integer':
    case 'number':
      return random.pick([0, 1, -1, 30_000, 1e9, 1e308, 2 ** 53, 0.5])
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return Array.from({ length: random.int(4) }, () =>
        fromSchema(fields.get('items'), document, random, depth + 1),
      )
    case 'object': {
      const properties = Object.entries(fields.get('properties') ?? {})
      const required = fields.get('required')
      const made = properties
        .filter(
          ([name]) =>
            (Array.isArray(required) && required.includes(name) && random.chance(0.95)) || random.chance(0.6),
        )
        .map(([name, child]) => [name, fromSchema(child, document, random, depth + 1)])
      if (random.chance(0.08)) made.push([oddText(random), anyValue(random, 2)])
      return Object.fromEntries(made)
    }
    default:
      return anyValue(random, 2)
  }
}

function resolve(reference: string, document: OpenApiDocument): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined,
      document,
    )
}

function plausibleText(random: Random): string {
  return random.pick([
    'Shop',
    'order.created',
    'find_order',
    '/orders',
    '/orders?status=open',
    'http://127.0.0.1:9/v1',
    'POST',
    'X-Api-Key',
    '{{API_KEY}}',
    'items.0.sku',
    '{"version":1,"actions":[{"name":"a","description":"b","path":"/c"}]}',
    'curl http://127.0.0.1:9/a -d \'{"x":1}\'',
    'openapi: 3.1.0',
  ])
}

function oddText(random: Random): string {
  return random.pick([
    '',
    ' ',
    '0',
    'null',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '%00',
    '\u0000',
    '\ud800',
    '\u202e',
    '😀'.repeat(50),
    "'; DROP TABLE event; --",
    '<script>',
    'a'.repeat(5000),
    '{{',
    '{x}',
    'NEAR(a b)',
    '"*"',
    'http://[::1',
    'file:///etc/passwd',
    '\r\nX-Injected: 1',
    '-1',
    '1e99',
  ])
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random.int(depth > 0 ? 8 : 6)
  if (kind === 6) return Array.from({ length: random.int(4) }, () => anyValue(random, depth - 1))
  if (kind === 7)
    return Object.fromEntries(
      Array.from({ length: random.int(4) }, () => [oddText(random), anyValue(random, depth - 1)]),
    )
  return [null, true, random.int(1e9), -0.5, oddText(random), plausibleText(random)][kind]
}

function unreachable(): never {
  throw new Error('The document has no operations.')
}
