import { describe, expect, test } from 'vitest'
import { readArguments, valuesOf, withEntry } from '#renderer/features/actions/test/argument-values.ts'
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
  test('are of their parameters’ types, in their order', () => {
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

  test('that are optional and blank are left out, those required are missed', () => {
    const { arguments: given, problems } = readArguments(parameters, { amount: ' ', metadata: ' ' })
    expect(given).toBeNull()
    expect(Object.fromEntries(problems)).toEqual({
      order_id: 'order_id is required.',
      amount: 'amount is required.',
    })
  })

  test('may be an empty text where that is what was meant', () => {
    const [orderId] = parameters
    if (orderId === undefined) throw new Error('There is a first one.')
    expect(readArguments([orderId], { order_id: '' }).arguments).toEqual({ order_id: '' })
  })

  test.each(['12,5', '0x10', '1_000', '.5', '012', 'NaN', '1e'])('%s is no number', text => {
    expect(readArguments([parameter('amount', 'number')], { amount: text }).problems.size).toBe(1)
  })

  test.each(['[1]', '"x"', 'null', '7', '{"a":'])('%s is no object', text => {
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

  test('of a parameter called like something every object has are its own', () => {
    const odd = [parameter('constructor', 'string'), parameter('__proto__', 'string', true)]
    expect(readArguments(odd, {}).problems.size).toBe(1)
    const values = withEntry({}, '__proto__', 'x')
    expect(Object.entries(readArguments(odd, values).arguments ?? {})).toEqual([['__proto__', 'x']])
  })
})

describe('the form of an earlier call', () => {
  test('gives the same call again', () => {
    const given = { order_id: 'ORD-1', amount: 12.5, metadata: { a: [1] }, notify: false, urgent: true }
    expect(readArguments(parameters, valuesOf(parameters, given)).arguments).toEqual(given)
  })

  test('leaves out what does not fit any more, and what was masked', () => {
    expect(
      valuesOf(parameters, { order_id: 'pasted ••••', amount: '12', gone: 1, metadata: { key: '••••' } }),
    ).toEqual({})
  })
})

test('an entry that is taken away is left out', () => {
  expect(withEntry(withEntry({}, 'a', 'x'), 'a', undefined)).toEqual({})
})
