import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRecentKeys, type RecentKeys } from '#main/inbound/repeats.ts'

/** The same in the plainest way: a list, the oldest first. */
function createNaive(limit: number): Pick<RecentKeys, 'timeOf' | 'add'> {
  const entries: { key: string; time: number }[] = []
  const keyOf = (high: number, low: number) => `${high >>> 0}/${low >>> 0}`
  return {
    timeOf: (high, low) => entries.find(({ key }) => key === keyOf(high, low))?.time ?? null,
    add(high, low, time) {
      if (entries.some(({ key }) => key === keyOf(high, low))) return
      entries.push({ key: keyOf(high, low), time })
      if (entries.length > limit) entries.shift()
    },
  }
}

/** Few distinct words, so that keys meet: in the table's place, in one word, in both. */
const word = fc.oneof(fc.constantFrom(0, 1, 2, 7, 8, 15, 16, 0xffffffff, 0x80000000, -1), fc.nat(40))
const key = fc.tuple(word, word)

test.each([1, 2, 3, 5, 8, 64])('with room for %i it is a list of the last keys', limit => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), keys => {
      const recent = createRecentKeys(limit)
      const naive = createNaive(limit)
      for (const [time, [high, low]] of keys.entries()) {
        expect(recent.timeOf(high, low)).toBe(naive.timeOf(high, low))
        recent.add(high, low, time)
        naive.add(high, low, time)
        expect(recent.timeOf(high, low)).toBe(naive.timeOf(high, low))
      }
      for (const [high, low] of keys) expect(recent.timeOf(high, low)).toBe(naive.timeOf(high, low))
    }),
    { numRuns: 200 },
  )
})

test('keys that all belong to one place of the table are told apart, and forgotten in turn', () => {
  const recent = createRecentKeys(100)
  for (let high = 0; high < 1000; high++) recent.add(high, 5, high)
  for (let high = 0; high < 1000; high++) expect(recent.timeOf(high, 5)).toBe(high < 900 ? null : high)
})

test('a key that is there keeps its time', () => {
  const recent = createRecentKeys(10)
  recent.add(1, 2, 100)
  recent.add(1, 2, 200)
  expect(recent.timeOf(1, 2)).toBe(100)
})

test('times are kept to the millisecond', () => {
  const recent = createRecentKeys(10)
  const time = Date.parse('2199-12-31T23:59:59.999Z')
  recent.add(1, 2, time)
  expect(recent.timeOf(1, 2)).toBe(time)
})
