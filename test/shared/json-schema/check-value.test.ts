import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExact } from '#shared/json/exact-json.ts'
import { createValueCheck } from '#shared/json-schema/check-value.ts'
import { schemaProblems } from '#shared/json-schema/schema-problems.ts'

type Schema = Record<string, unknown>
const matches = (pattern: RegExp, text: string) => pattern.test(text)
const problems = (schema: Schema, value: unknown) =>
  createValueCheck(schema, matches)(value).map(({ path, message }) => `${path.join('.')}: ${message}`)

/** Returns an arbitrary of a keyword with its schemas. */
function keywordsOf(parts: Record<'one' | 'two' | 'named', fc.Arbitrary<unknown>>) {
  const { one, two, named } = parts
  const all = {
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...{ allOf: two, anyOf: two, oneOf: two, not: one, if: one, then: one, else: one },
    ...{ items: one, prefixItems: two, contains: one, unevaluatedItems: one },
    ...{ properties: named, patternProperties: named, additionalProperties: one, propertyNames: one },
    ...{ unevaluatedProperties: one, dependentSchemas: named },
  }
  return fc.oneof(...Object.entries(all).map(([name, value]) => fc.tuple(fc.constant(name), value)))
}

describe('a value', () => {
  test.each<[Schema, unknown, string[]]>([
    [{ type: 'integer' }, 1.5, [': must be a whole number, not a number.']],
    [{ type: ['string', 'null'] }, 1, [': must be a text or null, not a number.']],
    [{ enum: ['a', 'b'] }, 'c', [': must be one of "a", "b".']],
    [{ const: { a: 1 } }, { a: 2 }, [': must be {"a":1}.']],
    [{ required: ['a'] }, {}, ['a: is required.']],
    [{ additionalProperties: false, properties: { a: {} } }, { b: 1 }, ['b: is not a field of this object.']],
    [{ properties: { a: { items: { minimum: 5 } } } }, { a: [5, 4] }, ['a.1: must be at least 5.']],
    [{ maxLength: 2 }, '🛒🛒🛒', [': must have at most 2 characters.']],
    [{ format: 'date' }, '2026-02-30', [': must be a date such as 2026-11-29.']],
    [{ format: 'date-time' }, '2026-02-03T25:00:00Z', [': must be a time such as 2026-11-29T08:00:00Z.']],
    [{ format: 'uri' }, '/a', [': must be an absolute URI.']],
    [{ format: 'what' }, 'a', []],
    [{ pattern: '^a+$' }, 'b', [': must match the pattern ^a+$.']],
    [{ anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] }, {}, ['a: is required.']],
    [{ oneOf: [{}, {}] }, 1, [': must fit exactly one of its alternatives, and fits several.']],
    [{ uniqueItems: true }, [1, { a: 1 }, { a: 1 }], [': must not have the same element twice.']],
    [
      {
        $ref: '#/$defs/n',
        $defs: { n: { properties: { next: { $ref: '#/$defs/n' }, v: { type: 'number' } } } },
      },
      { next: { next: { v: 'a' } } },
      ['next.next.v: must be a number, not a text.'],
    ],
  ])('%j of %j has the problems %j', (schema, value, expected) => {
    expect(schemaProblems(schema)).toEqual([])
    expect(problems(schema, value)).toEqual(expected)
  })

  test.each<[Schema, string, boolean]>([
    [{ maximum: 9007199254740992 }, '9007199254740993', false],
    [{ maximum: parseExact('9007199254740993') }, '9007199254740993', true],
    [{ multipleOf: 0.01 }, '19.99', true],
    [{ multipleOf: 0.01 }, '19.999', false],
    [{ type: 'integer' }, '1.0', true],
    [{ type: 'integer' }, '1e400', true],
    [{ type: 'integer' }, '1.000000000000000000001', false],
    [{ enum: [1] }, '1.0', true],
    [{ multipleOf: 7 }, `1${'0'.repeat(400)}`, false],
  ])('%j takes the number %s: %s', (schema, number, isTaken) => {
    expect(problems(schema, parseExact(number)).length === 0).toBe(isTaken)
  })

  const tooMany = ': cannot be checked: its schema has too many alternatives for this value.'
  const many = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one)
  test.each<[string, Schema, unknown]>([
    ['a long list compared often', { anyOf: [...many(50, { const: [] }), {}] }, many(20_000, 1)],
    [
      'a long text measured often',
      { anyOf: [...many(50, { minLength: 2_000_000 }), {}] },
      'a'.repeat(1_500_000),
    ],
    ['many names asked for often', { items: { anyOf: [{ required: many(5000, 'a') }, {}] } }, many(2000, {})],
  ])('with %s takes too many steps', (_name, schema, value) => {
    expect(problems(schema, value)).toEqual([tooMany])
  })

  test('is compared with a long list of values once prepared', () => {
    const values = Array.from({ length: 5000 }, (_, index) => index)
    expect(problems({ items: { enum: [...values, 'a'] } }, [...many(20_000, 4999), 'a'])).toEqual([])
  })

  test('with very many problems has 20', () => {
    expect(
      problems({ properties: { a: { unevaluatedItems: false } } }, { a: many(300_000, 1) }),
    ).toHaveLength(20)
    expect(problems({ required: many(300_000, 'a') }, {})).toHaveLength(20)
  })

  test.each<Schema>([
    { items: { $ref: '#' } },
    { items: { anyOf: [{ type: 'number' }, { allOf: [{ $ref: '#' }] }] } },
    { contains: { oneOf: [{ $ref: '#' }] } },
  ])('nested too deeply for %j is refused, in place of an overflow', schema => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(problems(schema, nested(990))).toEqual([': is nested too deeply to be checked.'])
    expect(problems({ items: { $ref: '#' } }, nested(200))).toEqual([])
  })

  test('that takes too many steps is refused', () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const below = { $ref: `#/$defs/l${level}` }
      return [`l${level + 1}`, { anyOf: [below, below] }]
    })
    const schema = { $ref: '#/$defs/l30', $defs: { l0: { type: 'null' }, ...Object.fromEntries(levels) } }
    expect(schemaProblems(schema)).toEqual([])
    expect(problems(schema, 1)).toEqual([
      ': cannot be checked: its schema has too many alternatives for this value.',
    ])
  })

  test('whose pattern takes too long is refused', () => {
    expect(createValueCheck({ pattern: 'a' }, () => null)('b')).toEqual([
      { path: [], message: 'cannot be checked: its pattern a takes too long.' },
    ])
  })

  test('is judged as another validator judges it', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    const leaf = fc.constantFrom<Schema | boolean>(
      ...[true, false, {}, { type: 'string' }, { type: 'number' }, { type: ['integer', 'null'] }],
      ...[{ type: 'object' }, { type: 'array' }, { minimum: 1 }, { exclusiveMaximum: 2 }, { multipleOf: 2 }],
      ...[
        { minLength: 1 },
        { maxLength: 1 },
        { pattern: '^a' },
        { enum: [1, 'a', null, [1]] },
        { const: { a: 1 } },
      ],
      ...[{ minItems: 1 }, { maxItems: 1 }, { uniqueItems: true }, { required: ['a'] }, { maxProperties: 1 }],
      ...[{ dependentRequired: { a: ['b'] } }, { minProperties: 1 }],
    )
    const { schema } = fc.letrec<{ schema: Schema | boolean }>(tie => {
      const one = tie('schema')
      const two = fc.array(one, { minLength: 1, maxLength: 3 })
      const named = fc.dictionary(fc.constantFrom('a', 'b', 'c'), one, { maxKeys: 2 })
      return {
        schema: fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          leaf,
          fc
            .array(keywordsOf({ one, two, named }), { minLength: 1, maxLength: 3 })
            .map(Object.fromEntries<unknown>),
        ),
      }
    })
    const value = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, true, 0, 1, 2, 1.5, '', 'a', 'b', 'ab'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (given, values) => {
        const whole = { allOf: [given] }
        expect(schemaProblems(whole)).toEqual([])
        const validate = ajv.compile(whole)
        const check = createValueCheck(whole, matches)
        for (const one of values) expect([one, check(one).length === 0]).toEqual([one, validate(one)])
        ajv.removeSchema(whole)
      }),
      { numRuns: 100 },
    )
  })
})
