import { expect, test } from 'vitest'
import { schemaProblems } from '#shared/json-schema/schema-problems.ts'

type Schema = Record<string, unknown>
const problems = (schema: Schema) =>
  schemaProblems(schema).map(({ path, message }) => `${path.join('.')}: ${message}`)

const deep = (levels: number): Schema => (levels === 0 ? {} : { items: deep(levels - 1) })
const endless = 'This schema refers to itself without an end.'

test.each<[Schema, string[]]>([
  [{}, []],
  [
    { type: 'date' },
    ['type: This must be one of string, number, integer, boolean, object, array, null, or a list of them.'],
  ],
  [{ properties: { a: 1 } }, ['properties.a: This must be a JSON Schema: an object, true or false.']],
  [{ anyOf: [] }, ['anyOf: This must be a list of schemas.']],
  [{ exclusiveMinimum: true }, ['exclusiveMinimum: This must be a number.']],
  [{ multipleOf: 0 }, ['multipleOf: This must be a number greater than 0.']],
  [{ maxLength: -1 }, ['maxLength: This must be a whole number of 0 or more.']],
  [{ required: 'a' }, ['required: This must be a list of texts.']],
  [{ pattern: '(' }, ['pattern: This must be a regular expression of JavaScript.']],
  [{ pattern: '[\\w-.]' }, []],
  [{ $id: 'https://example.com' }, ['$id: Parts of a schema are found by their place. Remove this keyword.']],
  [{ items: { $ref: '#/$defs/a' } }, ['items.$ref: There is no schema at #/$defs/a.']],
  [{ items: { $ref: '#/type' }, type: 'array' }, ['items.$ref: There is no schema at #/type.']],
  [{ $ref: '#' }, [`: ${endless}`]],
  [{ anyOf: [{ $ref: '#' }, {}] }, [`anyOf.0: ${endless}`]],
  [
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
    [`$defs.b.allOf.0: ${endless}`],
  ],
  [{ items: { $ref: '#' } }, []],
  [{ properties: { 'a/b~c': {} }, items: { $ref: '#/properties/a~1b~0c' } }, []],
  [{ 'x-own': 1, example: 2, nullable: true }, []],
  [deep(65), ['A schema is nested at most 64 levels deep.'].map(text => `: ${text}`)],
  [{ description: 'é'.repeat(32 * 1024) }, [': A schema has at most 64 KiB.']],
])('%j has the problems %j', (schema, expected) => {
  expect(problems(schema)).toEqual(expected)
})
