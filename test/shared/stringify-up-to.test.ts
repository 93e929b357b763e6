import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExact } from '#shared/json/exact-json.ts'
import { stringifyUpTo } from '#shared/json/stringify-up-to.ts'

const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })

test('returns the same text as JSON.stringify if that is short enough, otherwise one that begins like it', () => {
  fc.assert(
    fc.property(json, fc.nat(80), (value, limit) => {
      const whole = JSON.stringify(value)
      const text = stringifyUpTo(value, limit)
      if (whole.length <= limit) expect(text).toBe(whole)
      else expect([text.length > limit, text.slice(0, limit)]).toEqual([true, whole.slice(0, limit)])
    }),
    { numRuns: 2000 },
  )
})

test.each([
  [undefined, 'null'],
  [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
  [
    parseExact('{"n":1.10,"__proto__":{"a":9007199254740993}}'),
    '{"n":1.10,"__proto__":{"a":9007199254740993}}',
  ],
])('writes %j as JSON.stringify does', (value, text) => {
  expect(stringifyUpTo(value, 1000)).toBe(text)
})

test('reads only as much of a value as it returns', () => {
  let read = 0
  const list = new Proxy(Array(1_000_000).fill('x'), {
    get(target, name) {
      read++
      return Reflect.get(target, name)
    },
  })
  expect(stringifyUpTo(list, 100).length).toBeLessThan(110)
  expect(read).toBeLessThan(200)
})
