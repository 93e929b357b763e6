import { isContractProcedure } from '@orpc/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { Condition } from '#shared/model/condition.ts'

/** How zod words what no sentence is found for. */
const raw = /^(Invalid|Too (big|small)|Unrecognized|Expected)|: expected |Invalid input/i

const wrongValues: readonly unknown[] = [
  ...[undefined, null, true, '', ' ', 'x', 'x'.repeat(30_000), -1, 1.5, 1e15, Number.NaN],
  ...[[], [1], [{}], new Array(300).fill({}), {}, { a: 1 }, { a: { b: 1 } }, { '': '' }],
]

function inputsOf(schema: z.ZodType): unknown[] {
  if (!(schema instanceof z.ZodObject)) return [...wrongValues]
  const fields = Object.keys(schema.shape)
  return [...wrongValues, ...fields.flatMap(field => wrongValues.map(value => ({ [field]: value })))]
}

function schemasOf(node: unknown, path: readonly string[] = []): [name: string, schema: z.ZodType][] {
  if (isContractProcedure(node)) {
    const { inputSchema } = node['~orpc']
    return inputSchema instanceof z.ZodType ? [[path.join('.'), inputSchema]] : []
  }
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, child]) => schemasOf(child, [...path, name]))
}

const procedures = schemasOf(contract)

test.each(procedures)('%s words every problem of its input as a sentence', (_name, schema) => {
  const messages = inputsOf(schema).flatMap(input => schema.safeParse(input).error?.issues ?? [])
  expect(messages.length).toBeGreaterThan(0)
  for (const { message } of messages) {
    expect(message).not.toMatch(raw)
    expect(message).toMatch(/^[A-Z{].*\.$/s)
  }
})

const variants = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notify') }),
  z.object({ type: z.literal('stop') }),
])

describe('every kind of problem has a sentence', () => {
  test.each<[code: z.core.$ZodIssue['code'], schema: z.ZodType, value: unknown, sentence: string]>([
    ['invalid_type', z.object({ a: z.string() }), {}, 'The field "a" is missing.'],
    ['invalid_type', z.record(z.string(), z.string()), [], 'This must be an object.'],
    ['invalid_type', z.int(), 1.5, 'This must be a whole number.'],
    ['invalid_value', z.enum(['a', 'b']), 'c', 'This must be one of "a", "b".'],
    ['invalid_value', z.literal(1), 2, 'This must be 1.'],
    ['too_big', z.string().max(2), 'abc', 'This has at most 2 characters.'],
    ['too_big', z.array(z.any()).max(1), [1, 2], 'This has at most 1 entry.'],
    ['too_big', z.number().lt(5), 5, 'This must be less than 5.'],
    ['too_small', z.number().min(1), 0, 'This must be at least 1.'],
    ['too_small', z.string().min(1), '', 'This has at least 1 character.'],
    ['not_multiple_of', z.number().multipleOf(5), 3, 'This must be a multiple of 5.'],
    ['unrecognized_keys', z.strictObject({}), { a: 1 }, 'There is no field "a".'],
    ['invalid_format', z.url(), 'x', 'Write an absolute URL: https://api.example.com.'],
    ['invalid_format', z.string().regex(/^a$/), 'b', 'This does not have the required format.'],
    [
      'invalid_union',
      z.union([z.string(), z.number(), z.literal(true)]),
      null,
      'This must be a string in double quotes or a number or true.',
    ],
    [
      'invalid_union',
      Condition,
      { value: 'a', operator: '>', operand: 1 },
      'operator: This must be one of "equals", "not_equals", "contains", "starts_with", "greater", "less", "exists", "not_exists".',
    ],
    ['invalid_union', Condition, { value: 'a' }, 'The field "operator" is missing.'],
    ['invalid_union', Condition, { all: 'a' }, 'all: This must be an array.'],
    ['invalid_union', Condition, 'a', 'This must be an object.'],
    [
      'invalid_union',
      Condition,
      {},
      'The field "value" is missing. Or: The field "all" is missing. Or: The field "any" is missing.',
    ],
    ['invalid_union', variants, { type: 'notfy' }, 'There is no type "notfy". Did you mean "notify"?'],
    ['invalid_union', variants, { type: 'x' }, 'There is no type "x". Write one of "notify", "stop".'],
    ['invalid_union', variants, {}, 'The field "type" is missing. Write one of "notify", "stop".'],
    ['invalid_union', variants, { type: 1 }, 'This must be one of "notify", "stop".'],
    [
      'invalid_key',
      z.record(z.string().regex(/^a$/), z.any()),
      { b: 1 },
      'This object has a key that is not allowed.',
    ],
    [
      'invalid_element',
      z.map(z.any(), z.string()),
      new Map([[{}, 1]]),
      'This contains a value that is not allowed.',
    ],
    ['custom', z.custom<string>(() => false), 1, 'This value is not allowed.'],
  ])('%s', (code, schema, value, sentence) => {
    const [issue] = schema.safeParse(value).error?.issues ?? []
    expect([sentence, code]).toEqual([issue?.message, issue?.code])
  })

  test('a sentence of the schema wins', () => {
    expect(z.string().max(1, 'Too long.').safeParse('ab').error?.issues[0]?.message).toBe('Too long.')
  })
})
