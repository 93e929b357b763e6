import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonBytes, jsonPieces } from '#main/http/json-pieces.ts'
import { ExactJson } from '#shared/json/exact-json.ts'

const smiles = '😀'.repeat(100_000)

test('writes values as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
    }),
  )
  const others = {
    at: new Date(0),
    missing: undefined,
    list: [undefined, {}, []],
    'a "key"': { toJSON: 1, __proto__: null },
  }
  expect([...jsonPieces(others)].join('')).toBe(JSON.stringify(others))
})

test.each([`"${smiles}`, `a"${smiles}`, '"\n'.repeat(100_000), '\ud83d'.repeat(100_000)])(
  'divides a long text between two characters',
  async long => {
    const value = { long, data: new ExactJson(`{ "n": 1.50 }`), after: 1 }
    const written = (await jsonBytes(value)).toString()
    expect(written).toBe(`{"long":${JSON.stringify(long)},"data":{ "n": 1.50 },"after":1}`)
    const pieces = [...jsonPieces(value)]
    expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThan(500_000)
  },
)
