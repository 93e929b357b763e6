import { describe, expect, test } from 'vitest'
import { exampleValue } from '#renderer/entities/action/example-value.ts'
import { nodeOf } from '#renderer/entities/action/schema-node.ts'
import { createValueCheck, type Matches } from '#shared/json-schema/check-value.ts'
import { schemaProblems } from '#shared/json-schema/schema-problems.ts'
import type { Parameter } from '#shared/model/parameter.ts'

const labelOf = (schema: unknown, root: unknown = schema) => nodeOf(schema, root).label
const matches: Matches = (pattern, text) => pattern.test(text)

describe('a JSON Schema as people read it', () => {
  test('is of one kind, whatever way its type is written', () => {
    expect(labelOf({ type: 'string', format: 'date' })).toBe('date')
    expect(labelOf({ type: ['integer', 'null'] })).toBe('integer')
    expect(labelOf({ anyOf: [{ type: 'null' }, { enum: ['a', 'b', null] }] })).toBe('one of 2')
    expect(labelOf({ items: { type: 'number' } })).toBe('list of number')
    expect(labelOf({ properties: {} })).toBe('object')
    expect(labelOf({ type: ['string', 'number'] })).toBe('string or number')
    expect(labelOf({ oneOf: [{ type: 'string' }, { type: 'object' }] })).toBe('one of 2 shapes')
  })

  test('follows references within it, and never without an end', () => {
    const root = { $defs: { 'a/b': { type: 'boolean' }, loop: { $ref: '#/$defs/loop' } } }
    expect(labelOf({ $ref: '#/$defs/a~1b', description: 'x' }, root)).toBe('boolean')
    expect(nodeOf({ $ref: '#/$defs/a~1b', description: 'x' }, root).about).toBe('x')
    for (const $ref of ['#/$defs/loop', '#/$defs/none', 'https://example.com', '#/%zz', 7])
      expect(labelOf({ $ref }, root)).toBe('any')
  })

  test('of anything else is any', () => {
    for (const schema of [true, false, null, 7, [], {}, { type: 7 }, { type: 'text' }, { type: [] }])
      expect(labelOf(schema)).toMatch(/^any$/)
  })
})

describe('an example of a value', () => {
  const of = (fields: Partial<Parameter>) =>
    exampleValue({ name: 'x', type: 'string', description: 'x', required: true, ...fields })

  test('is taken from the schema, or made by it so that it is valid', () => {
    expect(of({ schema: { type: 'string', default: 'usd' } })).toBe('usd')
    expect(of({ schema: { type: 'string', examples: ['eur', 'usd'] }, isList: true })).toEqual(['eur'])
    expect(of({ type: 'boolean' })).toBe(true)
    expect(of({ value: null })).toBe(null)
    const schema = {
      type: 'object',
      required: ['on', 'size', 'lines', 'who'],
      properties: {
        on: { type: 'string', format: 'date' },
        size: { enum: [3, 5] },
        lines: { type: 'array', items: { $ref: '#/$defs/line' } },
        who: { oneOf: [{ type: 'string', format: 'email' }, { type: 'integer' }] },
        note: { type: 'string' },
      },
      $defs: { line: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
    }
    expect(schemaProblems(schema)).toEqual([])
    const example = of({ type: 'object', schema })
    expect(createValueCheck(schema, matches)(example)).toEqual([])
    expect(example).not.toHaveProperty('note')
  })

  test('of a schema that contains itself ends', () => {
    const schema = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } }
    expect(JSON.stringify(of({ type: 'object', schema })).length).toBeLessThan(200)
  })
})
