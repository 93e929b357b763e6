import { describe, expect, test } from 'vitest'
import { readArguments, valuesOf, withEntry } from '#renderer/entities/action/argument-values.ts'
import type { Parameter } from '#shared/model/parameter.ts'

const parameter = (name: string, type: Parameter['type'], required = false): Parameter => ({
  name,
  type,
  required,
  description: 'x',
})
const parameters = [
  parameter('order_id', 'string', true),
  parameter('amount', 'number', true),
  parameter('metadata', 'object'),
  parameter('notify', 'boolean'),
  parameter('urgent', 'boolean', true),
]

describe('arguments', () => {
  test('have the types and the order of their parameters', () => {
    const { arguments: given, problems } = readArguments(parameters, {
      notify: true,
      amount: '49.00',
      metadata: '{"ticket":"SUP-1"}',
      order_id: ' 7 ',
    })
    expect(problems.size).toBe(0)
    expect(JSON.stringify(given)).toBe(
      '{"order_id":" 7 ","amount":49.00,"metadata":{"ticket":"SUP-1"},"notify":true,"urgent":false}',
    )
  })

  test('that are blank are left out if optional, and a problem if required', () => {
    const { arguments: given, problems } = readArguments(parameters, { amount: ' ', metadata: ' ' })
    expect(given).toBeNull()
    expect(Object.fromEntries(problems)).toEqual({
      order_id: 'order_id is required.',
      amount: 'amount is required.',
    })
  })

  test('may be an empty string if the user asks for it', () => {
    const [orderId] = parameters
    if (orderId === undefined) throw new Error('There is a first one.')
    expect(readArguments([orderId], { order_id: '' }).arguments).toEqual({ order_id: '' })
  })

  test.each(['12,5', '0x10', '1_000', '.5', '012', 'NaN', '1e'])('%s is not a number', text => {
    expect(readArguments([parameter('amount', 'number')], { amount: text }).problems.size).toBe(1)
  })

  test.each(['[1]', '"x"', 'null', '7', '{"a":'])('%s is not an object', text => {
    expect(readArguments([parameter('metadata', 'object')], { metadata: text }).problems.size).toBe(1)
  })

  test('keep all digits of their numbers', () => {
    const { warnings, arguments: given } = readArguments(
      [parameter('amount', 'number'), parameter('metadata', 'object')],
      { amount: '9007199254740993', metadata: '{"a":[1.10,12345678901234567890,1e999]}' },
    )
    expect(JSON.stringify(given)).toBe(
      '{"amount":9007199254740993,"metadata":{"a":[1.10,12345678901234567890,1e999]}}',
    )
    expect(warnings.size).toBe(0)
    expect(valuesOf(parameters, given ?? {})).toMatchObject({ amount: '9007199254740993' })
  })

  test('may be named like a property of every object', () => {
    const odd = [parameter('constructor', 'string'), parameter('__proto__', 'string', true)]
    expect(readArguments(odd, {}).problems.size).toBe(1)
    const values = withEntry({}, '__proto__', 'x')
    expect(Object.entries(readArguments(odd, values).arguments ?? {})).toEqual([['__proto__', 'x']])
  })
})

describe('the form of an earlier call', () => {
  test('gives the same arguments again', () => {
    const given = { order_id: 'ORD-1', amount: 12.5, metadata: { a: [1] }, notify: false, urgent: true }
    expect(readArguments(parameters, valuesOf(parameters, given)).arguments).toEqual(given)
  })

  test('leaves out arguments that no longer fit, and masked ones', () => {
    expect(
      valuesOf(parameters, { order_id: 'pasted ••••', amount: '12', gone: 1, metadata: { key: '••••' } }),
    ).toEqual({})
  })
})

test('a removed entry is left out', () => {
  expect(withEntry(withEntry({}, 'a', 'x'), 'a', undefined)).toEqual({})
})

test('lists, and values of several types, are JSON; constants are not asked for', () => {
  const several: Parameter[] = [
    { ...parameter('tags', 'string', true), isList: true },
    { ...parameter('any', 'string'), schema: { type: ['string', 'null'] } },
    { ...parameter('state', 'string'), schema: { type: 'string', enum: ['open'] } },
    { ...parameter('version', 'string', true), value: 'v1' },
  ]
  const read = readArguments(several, { tags: '["a"]', any: 'null', state: 'open' })
  expect(read.arguments).toEqual({ tags: ['a'], any: null, state: 'open' })
  expect(Object.fromEntries(readArguments(several, { tags: '{}', any: '{' }).problems)).toEqual({
    tags: 'tags must be a list: [ … ].',
    any: 'any is not valid JSON.',
  })
  expect(valuesOf(several, { tags: ['a'], any: null, version: 'v2' })).toEqual({
    tags: '[\n  "a"\n]',
    any: 'null',
  })
})
