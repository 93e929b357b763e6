import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const documentOf = (operation: object, rest: object = {}, method = 'post') =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop' },
    servers: [{ url: 'https://api.example.com' }],
    paths: { '/a': { [method]: operation } },
    ...rest,
  })
const preview = (text: string) => previewImport(newConfig(nowMs), read(text, 'openapi'), newConnection)
const json = (schema: object, rest: object = {}) => ({ content: { 'application/json': { schema, ...rest } } })
const action = (text: string) => read(text, 'openapi').content?.actions[0]?.fields

const fields = { type: 'object', properties: { amount: { type: 'integer' } } }
const ofType = (type: string, schema: object = fields) => ({ content: { [type]: { schema } } })
const form = 'application/x-www-form-urlencoded'
const amount = { name: 'amount', type: 'number', schema: { type: 'integer' } }
const entire = { name: 'body', in: 'entireBody', type: 'object' }

/** Bodies, with the Content-Type and the parameters of their actions. */
const bodies: [name: string, requestBody: object, type: string | null, parameters: object[]][] = [
  ['a form', ofType(form), form, [{ ...amount, in: 'body' }]],
  ['a multipart form', ofType('multipart/form-data'), 'multipart/form-data', [{ ...amount, in: 'body' }]],
  [
    'a file in a form',
    ofType('multipart/form-data', {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' } },
    }),
    'multipart/form-data',
    [{ name: 'file', in: 'body', schema: { type: 'string', contentEncoding: 'base64' } }],
  ],
  ...[form, 'multipart/form-data'].map((type): (typeof bodies)[number] => [
    `a form of any fields as ${type}`,
    ofType(type, { type: 'object' }),
    type,
    [{ name: 'body', in: 'body', type: 'object', style: 'fields', required: false }],
  ]),
  ['plain text', ofType('text/plain', { type: 'string' }), 'text/plain', [{ ...entire, type: 'string' }]],
  ['XML', ofType('application/xml'), 'application/xml', [{ ...entire, type: 'string' }]],
  [
    'bytes',
    { content: { 'application/octet-stream': {} } },
    'application/octet-stream',
    [{ ...entire, type: 'string', schema: { type: 'string', contentEncoding: 'base64' } }],
  ],
  [
    'an array',
    json({ type: 'array', items: fields }),
    null,
    [{ ...entire, isList: true, schema: { type: 'object', properties: { amount: { type: 'integer' } } } }],
  ],
  ['a string', json({ type: 'string' }), null, [{ ...entire, type: 'string' }]],
  [
    'a map',
    json({ type: 'object', additionalProperties: { type: 'string' } }),
    null,
    [{ ...entire, schema: { type: 'object', additionalProperties: { type: 'string' } } }],
  ],
  [
    'one of several objects',
    json({ oneOf: [fields, { type: 'object', properties: { b: { type: 'string' } } }] }),
    null,
    [{ ...entire, schema: { oneOf: [fields, { type: 'object', properties: { b: { type: 'string' } } }] } }],
  ],
  [
    'fields with any of several more',
    json({ ...fields, anyOf: [{ required: ['amount'] }, { required: ['b'] }] }),
    null,
    [{ ...entire, schema: { ...fields, anyOf: [{ required: ['amount'] }, { required: ['b'] }] } }],
  ],
  [
    'an object of arrays',
    json({ type: 'object', properties: { tags: { type: 'array' } } }),
    null,
    [{ name: 'tags', type: 'string', isList: true, schema: {} }],
  ],
  ['an object of any fields', json({ type: 'object' }), null, [entire]],
  ['any value', json({}), null, [{ ...entire, type: 'string', schema: {} }]],
  ['no schema', { content: { 'application/json': {} } }, null, [{ ...entire, type: 'string', schema: {} }]],
]

/** Bodies that cannot be read. */
const unreadable: [name: string, requestBody: object, reason: string][] = [
  [
    'a reference that leads nowhere',
    { $ref: '#/components/requestBodies/Gone' },
    'it refers to #/components/requestBodies/Gone, which is not in the document',
  ],
  [
    'a schema that leads nowhere',
    json({ $ref: '#/components/schemas/Gone' }),
    'it refers to #/components/schemas/Gone, which is not in the document',
  ],
]

/** Schemas without a field to give. */
const empty: [name: string, schema: object][] = [
  ['no properties', { type: 'object', properties: {} }],
  ['no type', { properties: {}, additionalProperties: false }],
  ['nothing allowed', { type: 'object', additionalProperties: false }],
  ['fields of the other side', { type: 'object', properties: { id: { type: 'string', readOnly: true } } }],
  ['empty parts', { allOf: [{ type: 'object', properties: {} }, { properties: {} }] }],
]

describe('a body is sent as the document says:', () => {
  test.each(bodies)('%s', (_name, requestBody, type, parameters) => {
    for (const required of [false, true]) {
      const text = documentOf({ requestBody: { required, ...requestBody } })
      expect(preview(text).unsupported).toEqual([])
      const found = action(text)
      expect(found).toMatchObject({ isEnabled: true, parameters })
      expect(found?.headers ?? null).toEqual(type === null ? null : { 'Content-Type': type })
      for (const one of found?.parameters ?? [])
        expect(one.required).toBe(required && one.in === 'entireBody')
    }
  })
})

describe('a body that an action cannot send is imported disabled, with the reason:', () => {
  test.each(unreadable)('%s', (_name, requestBody, reason) => {
    for (const required of [undefined, false, true]) {
      const { details, unsupported } = preview(documentOf({ requestBody: { required, ...requestBody } }))
      expect(details.actions).toMatchObject([{ method: 'POST', isEnabled: false }])
      expect(unsupported).toContainEqual(
        expect.objectContaining({ part: 'body', reason: `${reason}; the action is imported disabled` }),
      )
    }
  })

  test('any of a GET that is needed', () => {
    const text = documentOf({ requestBody: json({ type: 'array' }) }, {}, 'get')
    expect(preview(text).details.actions).toMatchObject([{ isEnabled: false }])
  })

  test('no content type, only if it is required', () => {
    for (const content of [{}, { content: {} }]) {
      const read = (required: boolean) => preview(documentOf({ requestBody: { required, ...content } }))
      expect(read(true).details.actions).toMatchObject([{ isEnabled: false }])
      expect(read(false)).toMatchObject({ unsupported: [], details: { actions: [{ isEnabled: true }] } })
    }
  })

  describe('but not an optional one without a field:', () => {
    test.each(empty)('%s', (_name, schema) => {
      for (const method of ['get', 'post', 'put', 'patch', 'delete'])
        for (const type of [form, 'application/json', 'multipart/form-data']) {
          const content = { [type]: { schema } }
          const read = preview(documentOf({ requestBody: { required: false, content } }, {}, method))
          expect(read).toMatchObject({ unsupported: [], details: { actions: [{ isEnabled: true }] } })
        }
    })

    test('nor a required one that is {} as JSON, or an empty form', () => {
      for (const [, schema] of empty) {
        const required = { requestBody: { required: true, content: { [form]: { schema } } } }
        expect(preview(documentOf(required, {}, 'get')).details.actions).toMatchObject([{ isEnabled: true }])
        expect(preview(documentOf(required)).details.actions).toMatchObject([{ isEnabled: true }])
        const body = { required: true, ...json(schema) }
        expect(preview(documentOf({ requestBody: body })).details.actions).toMatchObject([
          { isEnabled: true },
        ])
      }
    })

    test('nor optional fields of a GET, which are said', () => {
      const read = preview(documentOf({ requestBody: json(fields) }, {}, 'get'))
      expect(read.details.actions).toMatchObject([{ isEnabled: true }])
      expect(read.unsupported).toMatchObject([{ part: 'body', reason: 'a GET has no body' }])
      const needed = json({ ...fields, required: ['amount'] })
      expect(preview(documentOf({ requestBody: needed }, {}, 'get')).details.actions).toMatchObject([
        { isEnabled: false },
      ])
    })
  })

  test('a field that is required but not described', () => {
    const schema = { ...fields, required: ['amount', 'depot'] }
    const { details, unsupported } = preview(documentOf({ requestBody: json(schema) }))
    expect(details.actions).toMatchObject([{ isEnabled: false }])
    expect(unsupported).toMatchObject([
      {
        part: 'depot',
        reason:
          'the schema requires it, but does not describe it; it is required, so the action is imported disabled',
      },
    ])
    const described = { allOf: [{ required: ['depot'] }, { properties: { depot: { type: 'string' } } }] }
    expect(preview(documentOf({ requestBody: json(described) })).details.actions).toMatchObject([
      { isEnabled: true },
    ])
  })

  test('a parameter of Swagger 2.0 in the body', () => {
    const text = documentOf({ parameters: [{ name: 'body', in: 'body', schema: fields }] })
    expect(preview(text).details.actions).toMatchObject([{ isEnabled: false }])
  })

  test.each<[string, object]>([
    ['no body at all', {}],
    ['a body of fields that it may leave out', { requestBody: json(fields) }],
    [
      'a body of fields, some of which are arrays',
      {
        requestBody: json({ type: 'object', properties: { ...fields.properties, tags: { type: 'array' } } }),
      },
    ],
    ['a body of any type, described in JSON', { requestBody: { content: { '*/*': { schema: fields } } } }],
    [
      'a body in JSON or as a form',
      {
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': { schema: fields },
            'application/json': { schema: fields },
          },
        },
      },
    ],
    [
      'a body that the other side fills',
      { requestBody: json({ type: 'object', properties: { id: { type: 'string', readOnly: true } } }) },
    ],
  ])('but not %s', (_name, operation) => {
    const text = documentOf(operation)
    expect(preview(text).details.actions).toMatchObject([{ isEnabled: true }])
    expect(action(text)?.headers).toBeNull()
  })
})

describe('optional credentials', () => {
  const components = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }

  test.each([
    ['first', [{}, { token: [] }]],
    ['last', [{ token: [] }, {}]],
  ])('are not demanded if the empty alternative is the %s', (_name, security) => {
    const { details, issues, environmentVariables } = preview(documentOf({ security }, { components }))
    expect(details.actions).toMatchObject([{ isEnabled: true }])
    expect(environmentVariables).toEqual([])
    expect(issues.map(({ message }) => message)).toEqual([
      'Where credentials are optional, the actions send none. To send them, add a header to the action.',
    ])
  })

  test('are demanded where there is no empty alternative', () => {
    const text = documentOf({ security: [{ token: [] }] }, { components })
    expect(preview(text).environmentVariables).toMatchObject([{ name: 'SHOP_TOKEN' }])
  })
})

describe('the description of a parameter tells the assistant', () => {
  const described = (schema: object, rest: object = {}) =>
    action(documentOf({ requestBody: json({ type: 'object', properties: { k: schema } }, rest) }))
      ?.parameters?.[0]?.description

  test.each<[string, object, string]>([
    ['a constant', { type: 'string', const: 'fixed' }, 'May be sent; the only allowed value is fixed.'],
    ['the only value', { type: 'string', enum: ['a b'] }, 'May be sent; the only allowed value is "a b".'],
    [
      'a constant of false',
      { type: 'boolean', const: false },
      'May be sent; the only allowed value is false.',
    ],
    ['values', { type: 'string', enum: ['a', 'b'], default: 'b' }, 'One of: a, b. Defaults to b.'],
    ['a default', { type: 'string', default: 'eur' }, 'Defaults to eur.'],
    ['an empty default', { type: 'string', default: '' }, 'Defaults to "".'],
    ['a default of 0', { type: 'integer', default: 0 }, 'A whole number. Defaults to 0.'],
    ['a format', { type: 'string', format: 'email' }, 'Format: email.'],
    [
      'a format with an example of its own',
      { type: 'string', format: 'date-time' },
      'Format: date-time, such as 2026-01-31T09:30:00Z.',
    ],
    [
      'a format and an example',
      { type: 'string', format: 'date', example: '2025-12-24' },
      'Format: date. Example: 2025-12-24.',
    ],
    ['an example', { type: 'string', example: 'ORD-1' }, 'Example: ORD-1.'],
    ['examples', { type: 'string', examples: ['a', 'b', 'a', 'd'] }, 'Examples: a, b.'],
    ['an example that is an object', { type: 'object', example: { a: 1 } }, 'Example: {"a":1}.'],
    ['bounds', { type: 'number', minimum: 1, maximum: 100 }, 'From 1 to 100.'],
    ['one bound', { type: 'integer', maximum: 9 }, 'A whole number. At most 9.'],
    ['an exclusive bound', { type: 'number', exclusiveMinimum: 0 }, 'More than 0.'],
    [
      'an exclusive bound of OpenAPI 3.0',
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 5 },
      'At most 5. More than 0.',
    ],
    ['a length', { type: 'string', minLength: 2, maxLength: 5 }, '2 to 5 characters.'],
    ['a pattern', { type: 'string', pattern: '^[A-Z]{3}$' }, 'Matches the pattern `^[A-Z]{3}$`.'],
    [
      'its own words first',
      { type: 'string', description: 'The currency', default: 'eur' },
      'The currency. Defaults to eur.',
    ],
    [
      'what a reference and its neighbours say',
      { allOf: [{ type: 'string', default: 'eur' }], description: 'The currency.' },
      'The currency. Defaults to eur.',
    ],
    ['nothing of a number whose digits are lost', { type: 'integer', maximum: 2 ** 63 }, 'A whole number.'],
    ['nothing of null', { type: ['string', 'null'], default: null }, 'The value of k.'],
  ])('%s', (_name, schema, expected) => {
    expect(described(schema)).toBe(expected)
  })

  test('the example of the body', () => {
    expect(described({ type: 'string' }, { example: { k: 'ORD-1' } })).toBe('Example: ORD-1.')
    expect(described({ type: 'string' }, { examples: { first: { value: { k: 'ORD-2' } } } })).toBe(
      'Example: ORD-2.',
    )
  })

  test('the examples of a query parameter', () => {
    const parameter = {
      ...{ name: 'k', in: 'query', schema: { type: 'string' } },
      examples: { a: { value: 'x' }, b: { value: 'y' } },
    }
    const text = documentOf({ parameters: [parameter] }, {}, 'get')
    expect(action(text)?.parameters?.[0]?.description).toBe('Examples: x, y.')
  })

  test('no more than 2,000 characters, and hints even after a long description', () => {
    const long = 'x'.repeat(5000)
    const all = {
      type: 'string',
      description: long,
      default: long,
      pattern: long,
      example: long,
      format: long,
    }
    const text = described(all)
    expect(text?.length).toBeLessThanOrEqual(2000)
    expect(text).toContain('Defaults to x')
    const values = Array.from({ length: 1000 }, (_, index) => `value-${index}`)
    expect(described({ type: 'string', enum: values, description: long })).toMatch(/x… One of: .*, …\.$/)
  })

  test('no signing secret', () => {
    const text = documentOf({
      requestBody: json({ type: 'object', properties: { k: { type: 'string', example: 'whsec_canary' } } }),
    })
    expect(preview(text).valid).toBe(true)
    expect(action(text)?.parameters?.[0]?.description).not.toContain('canary')
  })
})

describe('a field with several types becomes a parameter of the first that fits, with its schema', () => {
  test.each<[schema: object, type: string]>([
    [{ anyOf: [{ type: 'number' }, { type: 'string', pattern: '^\\d+$' }] }, 'number'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'string'],
    [{ type: ['integer', 'string', 'null'] }, 'number'],
    [{ anyOf: [{ type: 'array', items: {} }, { type: 'boolean' }] }, 'boolean'],
    [{ anyOf: [{ anyOf: [{ type: 'null' }, { type: 'object' }] }, { type: 'string' }] }, 'object'],
    [{ anyOf: [{}, { type: 'string' }] }, 'string'],
  ])('%j', (net, type) => {
    const schema = { type: 'object', required: ['net'], properties: { net } }
    const text = documentOf({ requestBody: { required: true, ...json(schema) } })
    expect(action(text)).toMatchObject({
      isEnabled: true,
      parameters: [{ name: 'net', type, required: true, schema: net }],
    })
    expect(preview(text).unsupported).toEqual([])
  })

  test('in a query too', () => {
    const schema = { anyOf: [{ type: 'object' }, { type: 'integer' }] }
    const created = { name: 'created', in: 'query', schema }
    expect(action(documentOf({ parameters: [created] }, {}, 'get'))?.parameters).toMatchObject([
      { name: 'created', type: 'object', schema },
    ])
  })

  test('and the alternatives of one type need no remark', () => {
    const schema = {
      type: 'object',
      properties: { id: { anyOf: [{ type: 'number' }, { type: 'integer' }] } },
    }
    expect(preview(documentOf({ requestBody: json(schema) })).unsupported).toEqual([])
  })
})

describe('a query parameter with one allowed value', () => {
  const version = (required: boolean, schema: object = { enum: ['2026-01 &1'] }) => ({
    parameters: [{ name: 'api-version', in: 'query', required, schema }],
    requestBody: json(fields),
  })

  test.each(['get', 'post', 'put', 'patch', 'delete'])('is a constant of a %s if it is required', method => {
    for (const schema of [{ enum: ['2026-01 &1'] }, { const: '2026-01 &1' }]) {
      const { parameters, requestBody } = version(true, schema)
      const text = documentOf(method === 'get' ? { parameters } : { parameters, requestBody }, {}, method)
      const [constant] = action(text)?.parameters ?? []
      expect(constant).toMatchObject({ name: 'api-version', value: '2026-01 &1' })
      expect(preview(text).unsupported).toEqual([])
    }
  })

  test('is a constant of a body if it is required', () => {
    const kind = (required: string[]) => ({
      requestBody: {
        required: true,
        ...json({ type: 'object', required, properties: { kind: { const: 'card' }, n: { type: 'number' } } }),
      },
    })
    const [constant, other] = action(documentOf(kind(['kind'])))?.parameters ?? []
    expect([constant, other]).toMatchObject([{ name: 'kind', required: true, value: 'card' }, { name: 'n' }])
    expect(action(documentOf(kind([])))?.parameters[0]).toMatchObject({ schema: { const: 'card' } })
  })

  test('is a parameter if it is optional', () => {
    const [optional] = action(documentOf(version(false)))?.parameters ?? []
    expect(optional).toMatchObject({
      name: 'api-version',
      in: 'query',
      description: 'May be sent; the only allowed value is "2026-01 &1".',
      schema: { enum: ['2026-01 &1'] },
    })
  })

  test('of a Swagger document is a constant too', () => {
    const parameters = [{ name: 'v', in: 'query', required: true, type: 'string', enum: ['1'] }]
    const text = documentOf({ parameters }, { openapi: undefined, swagger: '2.0' })
    expect(action(text)).toMatchObject({ isEnabled: true, parameters: [{ name: 'v', value: '1' }] })
  })
})
