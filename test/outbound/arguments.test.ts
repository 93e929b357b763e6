import { describe, expect, test } from 'vitest'
import { argumentIssues } from '#main/outbound/arguments.ts'
import { parameter, serve, startCaller } from './support.ts'

const parameters = [
  parameter('id', 'string', true),
  parameter('count', 'number'),
  parameter('flag', 'boolean'),
  parameter('more', 'object'),
]
const wrong = (given: Record<string, unknown>) =>
  argumentIssues(parameters, given).map(({ message }) => message)

describe('arguments', () => {
  test.each<Record<string, unknown>>([
    { id: '' },
    { id: 'x', count: -0.5, flag: false, more: {} },
    { id: 'x', more: { deep: [null, { a: 1 }] }, count: undefined },
    { id: 'x', count: null, flag: null, more: null },
  ])('%o are good', given => {
    expect(wrong(given)).toEqual([])
  })

  test.each<[Record<string, unknown>, string]>([
    [{}, 'id is required.'],
    [{ id: undefined }, 'id is required.'],
    [Object.create({ id: 'inherited' }), 'id is required.'],
    [{ id: null }, 'id must be a string, not null.'],
    [{ id: 5 }, 'id must be a string, not a number.'],
    [{ id: 'x', count: '5' }, 'count must be a number, not a string.'],
    [{ id: 'x', count: Number.NaN }, 'count must be a finite number, not NaN.'],
    [{ id: 'x', count: Number.NEGATIVE_INFINITY }, 'count must be a finite number, not -Infinity.'],
    [{ id: 'x', count: 5n }, 'count must be a number, not a bigint.'],
    [{ id: 'x', flag: 'true' }, 'flag must be a boolean, not a string.'],
    [{ id: 'x', more: [] }, 'more must be an object, not an array.'],
    [{ id: 'x', other: null }, 'The action has no parameter "other".'],
    [{ id: 'x', more: '{}' }, 'more must be an object, not a string.'],
    [{ id: 'x', other: 1 }, 'The action has no parameter "other".'],
    [JSON.parse('{"id":"x","__proto__":{"count":1}}'), 'The action has no parameter "__proto__".'],
    [{ id: 'x', toString: 1 }, 'The action has no parameter "toString".'],
    [
      { id: 'x', more: JSON.parse(`${'{"a":'.repeat(1200)}1${'}'.repeat(1200)}`) },
      'more is nested deeper than 1000 levels.',
    ],
  ])('%o are not', (given, message) => {
    expect(wrong(given)).toEqual([message])
  })

  test('of a model with very long names have a short issue', () => {
    const [issue] = argumentIssues([], { ['x'.repeat(1_000_000)]: 1 })
    expect(JSON.stringify(issue).length).toBeLessThan(300)
  })

  test('that are wrong in several ways have each named, and no request is made', async () => {
    let requests = 0
    const { url } = await serve((_request, response) => {
      requests++
      response.end()
    })
    const outcome = await startCaller().run(url, { parameters }, { count: '1', other: true })
    expect(requests).toBe(0)
    expect(outcome).toMatchObject({ ok: false, request: null, response: null, result: null, mapped: null })
    expect(outcome.error).toEqual({
      code: 'invalid_arguments',
      message:
        'No request was sent. id is required. count must be a number, not a string. The action has no parameter "other".',
      data: {
        issues: [
          { path: 'id', message: 'id is required.' },
          { path: 'count', message: 'count must be a number, not a string.' },
          { path: 'other', message: 'The action has no parameter "other".' },
        ],
      },
    })
  })

  test('share the time of their checks: many values do not take long together', () => {
    const one = { anyOf: [...Array.from({ length: 50 }, () => ({ const: 'a' })), {}] }
    const parameters = ['a', 'b'].map(name => ({
      ...parameter(name, 'string', true),
      isList: true,
      schema: one,
    }))
    const few = Array.from({ length: 1000 }, () => 'b')
    expect(argumentIssues(parameters, { a: few, b: few })).toEqual([])
    const [issue] = argumentIssues(parameters, { a: [], b: Array.from({ length: 100_000 }, () => 'b') })
    expect(issue?.message).toMatch(/^b\.\d+ cannot be checked: its schema has too many alternatives/)
  })

  test('with names that match a slow pattern are refused', () => {
    const schema = { type: 'object', patternProperties: { '^(a|a)*$': {} } }
    const given = { [`${'a'.repeat(60)}b`]: 1 }
    expect(argumentIssues([{ ...parameter('o', 'object', true), schema }], { o: given })).toEqual([
      { path: 'o', message: 'o cannot be checked: its pattern ^(a|a)*$ takes too long.' },
    ])
  })
})
