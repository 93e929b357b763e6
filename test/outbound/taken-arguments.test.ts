import { describe, expect, test } from 'vitest'
import { actionRequest } from '#main/outbound/action-request.ts'
import { argumentIssues, takenArguments } from '#main/outbound/arguments.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { action, parameter, signingSecret } from './support.ts'

const withSchema = (type: Parameter['type'], schema: Record<string, unknown>, required = false) => ({
  ...parameter('value', type, required),
  schema,
})
const list = (type: Parameter['type'] = 'string') => ({ ...parameter('value', type), isList: true })

/** Returns the JSON of the value that is taken, undefined for none, and the type that it is taken as, if any. */
function taken(one: Parameter, value: unknown): [string | undefined, unknown] {
  const { given, converted } = takenArguments([one], { value })
  return [JSON.stringify(given.value), converted[0]?.as]
}

describe('a text is taken as the value whose JSON it is', () => {
  test.each<[string, Parameter, string, string]>([
    ['number', parameter('value', 'number'), '5', '5'],
    ['number', parameter('value', 'number'), '-0.5', '-0.5'],
    ['number', parameter('value', 'number'), '1e3', '1e3'],
    ['number', parameter('value', 'number'), '12345678901234567890.10', '12345678901234567890.10'],
    ['number', parameter('value', 'number'), '-0', '-0'],
    ['boolean', parameter('value', 'boolean'), 'true', 'true'],
    ['boolean', parameter('value', 'boolean'), 'false', 'false'],
    ['object', parameter('value', 'object'), '{ "a" : 1.10 }', '{"a":1.10}'],
    ['object', parameter('value', 'object'), '{"__proto__":{"a":"5"}}', '{"__proto__":{"a":"5"}}'],
    ['list', list(), '["a", "b"]', '["a","b"]'],
    ['list', list('number'), '[]', '[]'],
    ['number', withSchema('number', { type: 'integer', maximum: 9 }), '9', '9'],
    ['number', withSchema('number', { type: ['integer', 'null'] }), '9', '9'],
    ['number', withSchema('string', { anyOf: [{ type: 'integer' }, { const: 'all' }] }), '9', '9'],
    ['boolean', withSchema('string', { enum: ['auto', true] }), 'true', 'true'],
    ['list', withSchema('object', { type: 'array', items: { type: 'integer' } }), '[1]', '[1]'],
  ])('a %s', (as, one, text, json) => {
    expect(taken(one, text)).toEqual([json, as])
    expect(argumentIssues([one], takenArguments([one], { value: text }).given)).toEqual([])
  })
})

test.each<[string, Parameter, string, string]>([
  ['10', withSchema('number', { type: 'integer', maximum: 9 }), '10', 'value must be at most 9.'],
  ['false', withSchema('boolean', { type: 'boolean', const: true }), 'false', 'value must be true.'],
  ['{"a":1}', withSchema('object', { type: 'object', required: ['b'] }), '{"a":1}', 'value.b is required.'],
  [
    '[1,10]',
    { ...list('number'), schema: { type: 'integer', maximum: 9 } },
    '[1,10]',
    'value.1 must be at most 9.',
  ],
])(
  'a text of the right type, %s, is refused for what is wrong with its value',
  (json, one, text, message) => {
    const { given } = takenArguments([one], { value: text })
    expect(JSON.stringify(given.value)).toBe(json)
    expect(argumentIssues([one], given).map(issue => issue.message)).toEqual([message])
  },
)

describe('a text stays a text', () => {
  const almost = [
    ...[' 5', '5 ', '5\n', '\t5', '\u00a05', '05', '+5', '5.', '.5', '1e', '0x10', '1_000', '1,5', '5n', '٥'],
    ...['NaN', 'Infinity', '-Infinity', '-', '--5', '"5"', 'null', 'undefined', 'one', ''],
  ]
  test.each(almost)('that is only almost a number: %j', text => {
    const required = parameter('value', 'number', true)
    expect(taken(required, text)).toEqual([JSON.stringify(text), undefined])
    expect(argumentIssues([required], { value: text })).toHaveLength(1)
  })

  test.each(['True', 'FALSE', 'yes', '1', '0', ' true', 'true ', '"true"', 'null'])(
    'that is only almost true or false: %j',
    text => expect(taken(parameter('value', 'boolean'), text)).toEqual([JSON.stringify(text), undefined]),
  )

  test.each(['{', '{a:1}', "{'a':1}", '{"a":1,}', ' {}', '{}\n', '{} {}', '[]', 'null', '"{}"'])(
    'that is only almost an object: %j',
    text => expect(taken(parameter('value', 'object'), text)).toEqual([JSON.stringify(text), undefined]),
  )

  test.each(['a,b', '["a"', '[1]', '{}', '"a"'])('that is only almost a list of texts: %j', text => {
    expect(taken(list(), text)).toEqual([JSON.stringify(text), undefined])
  })

  test.each<[string, Parameter, string]>([
    ['its parameter asks for one', parameter('value', 'string'), '5'],
    ['its schema asks for one', withSchema('string', { type: 'string', minLength: 1 }), '{"a":1}'],
    ['its schema also takes one', withSchema('number', { type: ['integer', 'string'] }), '5'],
    [
      'an alternative takes one',
      withSchema('number', { anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      '5',
    ],
    ['its schema takes anything', withSchema('object', {}), '{}'],
    ['its value is not one that is asked for', withSchema('number', { type: 'integer' }), '1.5'],
    ['it has too many values', list('number'), `[${Array(20_000).fill(1)}]`],
    ['it is nested too deeply', parameter('value', 'object'), `{"a":${'['.repeat(1200)}${']'.repeat(1200)}}`],
  ])('if %s', (_name, one, text) => {
    expect(taken(one, text)).toEqual([JSON.stringify(text), undefined])
  })

  test('inside a list or an object', () => {
    expect(taken(list('number'), ['5'])).toEqual(['["5"]', undefined])
    const schema = { type: 'object', properties: { a: { type: 'integer' } } }
    expect(taken(withSchema('object', schema), { a: '5' })).toEqual(['{"a":"5"}', undefined])
  })

  test('if it would be a list or an object with a secret in it', () => {
    const parameters = [parameter('count', 'number'), parameter('more', 'object')]
    const given = { count: '5', more: '{"pin":"4711"}' }
    expect(takenArguments(parameters, given, () => true)).toEqual({
      given: { ...given, count: 5 },
      converted: [{ name: 'count', as: 'number' }],
    })
  })
})

describe('an empty text', () => {
  test.each<[string, Parameter]>([
    ['number', parameter('value', 'number')],
    ['boolean', parameter('value', 'boolean')],
    ['object', parameter('value', 'object')],
    ['list', list()],
    ['whole number', withSchema('number', { type: 'integer' })],
  ])('is not given for an optional %s', (_name, one) => {
    expect(taken(one, '')).toEqual([undefined, null])
  })

  test.each<[string, Parameter]>([
    ['a text', parameter('value', 'string')],
    ['one of several texts', withSchema('string', { enum: ['a', 'b'] })],
    ['a number or a text', withSchema('number', { type: ['number', 'string'] })],
    ['a required number', parameter('value', 'number', true)],
  ])('stays for %s', (_name, one) => {
    expect(taken(one, '')).toEqual(['""', undefined])
  })
})

describe('arguments', () => {
  const parameters = ['__proto__', 'b', 'a', 'constant'].map(name => ({
    ...parameter(name, 'number'),
    ...(name === 'constant' && { value: 1 }),
  }))

  test('that are taken as they are stay the same object', () => {
    const given = { b: 1, a: 'one', unknown: '5', constant: '5' }
    expect(takenArguments(parameters, given)).toEqual({ given, converted: [] })
    expect(takenArguments(parameters, given).given).toBe(given)
  })

  test('keep their order and odd names, and what was given is not changed', () => {
    const text = '{"b":"2","__proto__":"3","a":""}'
    const given = JSON.parse(text)
    const { given: after, converted } = takenArguments(parameters, given)
    expect(JSON.stringify(after)).toBe('{"b":2,"__proto__":3}')
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype)
    expect(JSON.stringify(given)).toBe(text)
    expect(converted).toEqual([
      { name: '__proto__', as: 'number' },
      { name: 'b', as: 'number' },
      { name: 'a', as: null },
    ])
  })

  test('of many long texts with slow schemas are taken in bounded work', () => {
    const one = { anyOf: [...Array.from({ length: 50 }, () => ({ const: 'a' })), { type: 'number' }] }
    const slow = ['a', 'b'].map(name => ({ ...parameter(name, 'number'), isList: true, schema: one }))
    const text = JSON.stringify(Array.from({ length: 100_000 }, () => 1))
    expect(takenArguments(slow, { a: text, b: text }).converted).toEqual([])
  })

  test('of a test, and of the specification’s checks, are never taken as something else', () => {
    const connection = { connectionId: 'conn_1', baseUrl: 'http://a.example', signingSecret, timeoutMs: 1000 }
    const record = action({ parameters: [parameter('count', 'number')] })
    const request = actionRequest(connection, record, { count: '5' }, { source: 'test' })
    expect('error' in request && request.error).toMatchObject({
      code: 'invalid_arguments',
      message: 'No request was sent. count must be a number, not a string.',
    })
  })
})
