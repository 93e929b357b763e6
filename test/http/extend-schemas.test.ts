import { expect, test } from 'vitest'
import { extendSchemas } from '#main/http/extend-schemas.ts'

const object = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object' as const,
  properties,
  required,
})
const text = { type: 'string' as const }
const number = { type: 'number' as const }

test('an object with all properties of another one extends it', () => {
  const small = object({ a: text, b: text, c: text }, ['a'])
  const middle = object({ ...small.properties, d: number }, ['a', 'd'])
  const large = object({ ...middle.properties, e: { ...text, description: 'e' } }, ['a', 'd'])
  expect(extendSchemas({ small, large, middle })).toEqual({
    small,
    large: {
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/middle' }],
      properties: { e: { type: 'string', description: 'e' } },
      required: [],
    },
    middle: {
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/small' }],
      properties: { d: number },
      required: ['d'],
    },
  })
})

test('an object that differs in a property, or in whether it is required, extends nothing', () => {
  const one = object({ a: text, b: text, c: text }, ['a'])
  const schemas = {
    one,
    other: object({ ...one.properties, c: number, d: text }, ['a']),
    optional: object({ ...one.properties, d: text }),
    equal: object(one.properties, ['a']),
    short: object({ a: text, b: text }),
  }
  expect(extendSchemas(schemas)).toEqual(schemas)
})
