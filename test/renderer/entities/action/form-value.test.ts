import { describe, expect, test } from 'vitest'
import { readArguments } from '#renderer/entities/action/argument-values.ts'
import { blankOf, hasFields, schemaOf, withField } from '#renderer/entities/action/schema-form/form-value.ts'
import { nodeOf } from '#renderer/entities/action/schema-node.ts'
import { problemOf } from '#renderer/features/actions/test/arguments-json.tsx'
import type { Parameter } from '#shared/model/parameter.ts'

const parameter = (name: string, fields: Partial<Parameter> = {}): Parameter => ({
  ...{ name, type: 'string', description: 'x', required: false },
  ...fields,
})
const line = { type: 'object', properties: { sku: { type: 'string' }, amount: { type: 'number' } } }
const shows = (schema: object, value: unknown, depth = 0) => hasFields(nodeOf(schema, schema), value, depth)

describe('the form of a value', () => {
  test('has fields for what its schema names, and is JSON for all else', () => {
    expect(shows(line, undefined)).toBe(true)
    expect(shows(line, { sku: 'A', amount: JSON.rawJSON('1.10') })).toBe(true)
    expect(shows(line, { other: 1 })).toBe(false)
    expect(shows(line, [])).toBe(false)
    expect(shows(line, {}, 5)).toBe(false)
    expect(shows({ type: 'number' }, '12.')).toBe(true)
    expect(shows({ enum: [1, 2] }, 3)).toBe(false)
    expect(shows({ oneOf: [line, { type: 'string' }] }, {})).toBe(false)
    expect(shows({}, 1)).toBe(false)
  })

  test('begins with a blank of its kind, which is not sent until it is filled in', () => {
    const blanks = [{ type: 'array' }, line, { type: 'boolean' }, { type: 'number' }, {}].map(one =>
      blankOf(one, one),
    )
    expect(blanks).toEqual([[], {}, false, '', null])
    const lists = [parameter('sizes', { type: 'number', isList: true })]
    expect(readArguments(lists, { sizes: '[1,""]' }).refused.get('sizes.1')).toMatch(
      /^sizes\.1 must be a number/,
    )
  })

  test('keeps the order of the schema, and leaves out what is undefined', () => {
    const order = [{ name: 'a' }, { name: 'b' }]
    expect(JSON.stringify(withField({ b: 1 }, order, 'a', 2))).toBe('{"a":2,"b":1}')
    expect(withField({ a: 1, b: 2 }, order, 'a', undefined)).toEqual({ b: 2 })
  })

  test('of a list has the schema of its elements', () => {
    const { schema, root } = schemaOf(parameter('lines', { isList: true, schema: line }))
    expect(nodeOf(schema, root).label).toBe('list of object')
  })
})

describe('arguments', () => {
  const parameters = [
    parameter('on', { schema: { type: 'string', format: 'date' } }),
    parameter('lines', { type: 'object', isList: true, schema: line }),
    parameter('odd', { schema: { type: 'text' } }),
  ]

  test('are checked by their schemas, with the place of each problem', () => {
    const {
      arguments: given,
      problems,
      refused,
    } = readArguments(parameters, {
      on: 'today',
      lines: '[{"sku":"A"},{"sku":7,"amount":"x"}]',
      odd: '7',
    })
    expect(given).toBeNull()
    expect([...problems.keys()]).toEqual(['on', 'lines'])
    expect([...refused.keys()]).toEqual(['on', 'lines.1.sku', 'lines.1.amount'])
  })

  test('as JSON name what cannot be sent', () => {
    expect(problemOf(parameters, '{"on":"2026-11-29","lines":null}')).toBeNull()
    expect(problemOf(parameters, '[]')).toBe('The arguments are a JSON object: { … }.')
    expect(problemOf(parameters, '{"other":1}')).toBe('The action has no parameter "other".')
    expect(problemOf(parameters, '{"on":7}')).toBe('on has a value of another type.')
  })
})
