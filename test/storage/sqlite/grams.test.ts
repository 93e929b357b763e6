import { expect, test } from 'vitest'
import { longGrams, longGramText } from '#main/storage/local/sqlite/grams.ts'

test('a body of a million digits has each of its terms once', () => {
  const text = longGramText(`{"n":1.${'0'.repeat(2 ** 20)}1}`)
  expect(text.split(' ').toSorted()).toEqual(['000000', '000001'])
})

test('yields all terms, also when there are too many to hold at once', () => {
  const text = Array.from({ length: 40_000 }, (_, index) => `id${index + 100_000}`).join(' ')
  expect(new Set(longGramText(text).split(' '))).toEqual(new Set(longGrams(text)))
})
