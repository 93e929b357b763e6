import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseExact } from '#shared/json/exact-json.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { soleVariable } from '#shared/workflows/templates.ts'

const Sample = z.record(z.string(), z.unknown())

describe('variablesOf', () => {
  test.each([
    [null, []],
    [{}, []],
    [{ a: 1, b: 'x', c: null, d: false }, ['a', 'b', 'c', 'd']],
    [{ customer: { name: 'Ada', address: { city: 'Rom' } } }, ['customer.name', 'customer.address.city']],
    [{ items: [{ sku: 'a' }, { other: 1 }] }, ['items', 'items.0.sku']],
    [{ list: [] }, ['list']],
    [{ list: [[1]] }, ['list', 'list.0', 'list.0.0']],
    [{ empty: {} }, []],
    [
      { 'a.b': 1, '{c}': 1, 'd e': 1, '': 1, ok: { 'x[0]': [{ 'y"z': 1 }] } },
      ['["a.b"]', '["{c}"]', '["d e"]', '[""]', 'ok["x[0]"]', 'ok["x[0]"].0["y\\"z"]'],
    ],
    [JSON.parse('{"__proto__":{"x":1},"constructor":1}'), ['__proto__.x', 'constructor']],
  ])('%j → %j', (sample, variables) => {
    expect(variablesOf(sample)).toEqual(variables)
  })

  test('a number whose digits are kept is a value and not an object', () => {
    const sample = Sample.parse(parseExact('{"total":149.00,"lines":[{"id":9007199254740993}]}'))
    expect(variablesOf(sample)).toEqual(['total', 'lines', 'lines.0.id'])
  })

  test('each is a path to something in the sample, once, and can be written between braces', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), sample => {
        const paths = variablesOf(sample)
        expect(new Set(paths).size).toBe(paths.length)
        for (const path of paths) {
          expect(soleVariable(`{{${path}}}`)).toBe(path)
          let value: unknown = sample
          for (const step of parsePath(path) ?? []) {
            expect(Object.hasOwn(Object(value), step)).toBe(true)
            value = new Map(Object.entries(Object(value))).get(step)
          }
        }
      }),
    )
  })

  test('are bounded, however large or deep the sample is', () => {
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`f${index}`, index]))
    expect(variablesOf(wide)).toHaveLength(500)
    const deep = JSON.parse(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`)
    expect(variablesOf(deep)).toEqual([])
  })
})
