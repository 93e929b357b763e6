import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { inputSchemaOf } from '#main/assistant/input-schema.ts'
import type { Parameter } from '#shared/model/parameter.ts'

const parameter = (fields: Partial<Parameter>): Parameter => ({
  ...{ name: 'a', type: 'string', description: 'The a.', required: true },
  ...fields,
})

test('lists and schemas are described, constants are not', () => {
  const schema = { type: 'string', enum: ['open', 'closed'], description: 'of the document' }
  expect(
    inputSchemaOf([
      parameter({ schema }),
      parameter({ name: 'b', type: 'number', isList: true, required: false }),
      parameter({ name: 'c', value: 'v1' }),
    ]),
  ).toEqual({
    type: 'object',
    properties: {
      a: { ...schema, description: 'The a.' },
      b: { type: 'array', items: { type: 'number' }, description: 'The a.' },
    },
    required: ['a'],
    additionalProperties: false,
  })
})

test('a text in a path is not empty', () => {
  const { properties } = inputSchemaOf([
    parameter({ in: 'path' }),
    parameter({ name: 'b', in: 'path', schema: { type: 'string', minLength: 4 } }),
    parameter({ name: 'c', in: 'path', type: 'number' }),
    parameter({ name: 'd', in: 'query' }),
  ])
  expect(properties).toEqual({
    a: { type: 'string', minLength: 1, description: 'The a.' },
    b: { type: 'string', minLength: 4, description: 'The a.' },
    c: { type: 'number', description: 'The a.' },
    d: { type: 'string', description: 'The a.' },
  })
})

test('what schemas refer to is in $defs of the tool, with a name of its own', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
  const list = { type: 'object', properties: { below: { $ref: '#' }, one: { $ref: '#/properties/below' } } }
  const schema = inputSchemaOf([
    parameter({ schema: { $ref: '#/$defs/node', $defs: { node } } }),
    parameter({ name: 'b', schema: { $ref: '#/$defs/node', $defs: { node: { type: 'number' } } } }),
    parameter({ name: 'tree', isList: true, schema: list }),
  ])
  expect(schema).toMatchObject({
    properties: {
      a: { $ref: '#/$defs/node', description: 'The a.' },
      b: { $ref: '#/$defs/node_2' },
      tree: { type: 'array', items: { $ref: '#/$defs/tree' } },
    },
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
      node_2: { type: 'number' },
      tree: {
        properties: { below: { $ref: '#/$defs/tree' }, one: { $ref: '#/$defs/tree/properties/below' } },
      },
    },
  })
  const validate = new Ajv2020().compile(schema)
  expect(validate({ a: { next: { next: {} } }, b: 1, tree: [{ below: { one: {} } }] })).toBe(true)
  expect(validate({ a: { next: { next: 1 } }, b: 1, tree: [] })).toBe(false)
})
