import { describe, expect, test } from 'vitest'
import { parseExact } from '#shared/json/exact-json.ts'
import { mask } from '#shared/model/environment.ts'
import { interpret } from '#shared/workflows/interpreter.ts'
import type { Environment } from '#shared/workflows/scope.ts'
import { Step } from '#shared/workflows/steps/kinds.ts'
import { SetStep } from '#shared/workflows/steps/set.ts'

const none: Environment = () => undefined

/** Returns the request and the end of a step alone. */
function setWith(values: object, payload: Record<string, unknown>, environment = none) {
  const steps = [Step.parse({ key: 'set', type: 'set', values })]
  const run = interpret(steps, payload, environment)
  const { value } = run.next()
  if (value === undefined || !('effect' in value)) throw new Error('The step was not begun.')
  return value
}

const converted = (as: string | undefined, value: unknown) => {
  const { effect } = setWith({ a: { value: '{{a}}', ...(as !== undefined && { as }) } }, { a: value })
  if (effect.kind === 'failed') return effect.error.code
  return effect.kind === 'decided' ? JSON.stringify(effect.output) : effect.kind
}

describe('the types of values', () => {
  const digits = parseExact('12345678901234567890.10')
  test.each<[string | undefined, unknown, string]>([
    [undefined, '5', '{"a":"5"}'],
    ['text', 5, '{"a":"5"}'],
    ['text', digits, '{"a":"12345678901234567890.10"}'],
    ['text', ['x', 1], '{"a":"[\\"x\\",1]"}'],
    ['number', '5', '{"a":5}'],
    ['number', '12345678901234567890.10', '{"a":12345678901234567890.10}'],
    ['number', digits, '{"a":12345678901234567890.10}'],
    ['number', '-1.5e3', '{"a":-1.5e3}'],
    ...['', ' 5', '5 ', '5,0', '05', '+5', '0x5', 'NaN', 'five'].map(
      text => ['number', text, 'invalid_value'] as [string, unknown, string],
    ),
    ['number', true, 'invalid_value'],
    ['number', [5], 'invalid_value'],
    ['boolean', 'true', '{"a":true}'],
    ['boolean', false, '{"a":false}'],
    ['boolean', 'yes', 'invalid_value'],
    ['boolean', 1, 'invalid_value'],
    ['list', '["a"]', '{"a":["a"]}'],
    ['list', [1], '{"a":[1]}'],
    ['list', 'a', 'invalid_value'],
    ['list', '{}', 'invalid_value'],
    ['json', '{"b":[1.10]}', '{"a":{"b":[1.10]}}'],
    ['json', '"text"', '{"a":"text"}'],
    ['json', { b: 1 }, '{"a":{"b":1}}'],
    ['json', '{b}', 'invalid_value'],
    ['json', '['.repeat(100_000) + ']'.repeat(100_000), 'invalid_value'],
    ['number', null, '{"a":null}'],
    ['number', undefined, '{}'],
  ])('as %s, %j becomes %s', (as, value, expected) => {
    expect(converted(as, value)).toBe(expected)
  })

  test('the failure names the value and does not quote it', () => {
    const { effect } = setWith({ price: { value: '{{a}}', as: 'number' } }, { a: 'hush-4711' })
    const message = 'price: The text is not a number of JSON, such as 12.5.'
    expect(effect).toEqual({ kind: 'failed', error: { code: 'invalid_value', message } })
  })
})

test.each([
  ['json', 1000, undefined],
  ['json', 1001, 'a: The text is nested deeper than 1000 levels.'],
  ['json', 100_000, 'a: The text is nested deeper than 1000 levels.'],
  ['list', 1001, 'a: The text is nested deeper than 1000 levels.'],
  ['number', 1001, 'a: The text is not a number of JSON, such as 12.5.'],
])('as %s, lists in %d levels fail with %s', (as, levels, message) => {
  const { effect } = setWith({ a: { value: '{{a}}', as } }, { a: '['.repeat(levels) + ']'.repeat(levels) })
  expect(effect.kind === 'failed' ? effect.error.message : undefined).toBe(message)
})

test('a step with an environment variable is private, and a token cannot be set', () => {
  const values = { auth: { value: 'Bearer {{$env.API_KEY}}' } }
  const secret = setWith(values, {}, () => 'hush')
  expect([secret.isPrivate, secret.effect]).toEqual([
    true,
    { kind: 'decided', output: { auth: 'Bearer hush' }, shown: { auth: `Bearer ${mask}` } },
  ])
  expect(setWith(values, {}).effect).toMatchObject({ error: { code: 'missing_environment_variable' } })
  expect(setWith(values, {}, () => null).effect).toMatchObject({ error: { code: 'invalid_variable' } })
})

test('a step has 1 to 50 values with plain names', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`v${at}`, { value: at }]))
  for (const values of [
    {},
    many,
    { 'a b': { value: 1 } },
    { '': { value: 1 } },
    JSON.parse('{"__proto__":{"value":1}}'),
  ])
    expect(SetStep.safeParse({ key: 'set', type: 'set', values }).success).toBe(false)
})

test.each([
  [{ 'a b': { value: 1 } }, 'A name begins with a letter, and has at most 64 letters, digits and _.'],
  [{ a: '{{quantity}}' }, 'Write an object with the value: {"value": "{{quantity}}", "as": "number"}.'],
])('%j is refused with what to write', (values, message) => {
  const { error } = SetStep.safeParse({ key: 'set', type: 'set', values })
  expect(error?.issues.map(issue => issue.message)).toEqual([message])
})
