import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNewestTimes } from '#main/history/statistics/newest-times.ts'

const medianOf = (times: number[]) => {
  const sorted = [...times].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle) - 1]!) / 2
}

test('the median covers at most the newest 256', () => {
  // Whole numbers below 2^23: what is kept keeps 24 bits.
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 700 }),
      fc.nat(700),
      (times, count) => {
        const newest = createNewestTimes()
        for (const time of times) newest.add(time)
        const expected = times.slice(-Math.min(256, count))
        expect(newest.median(count)).toBe(count === 0 ? null : medianOf(expected))
      },
    ),
  )
})

test('is rounded to a hundredth, and is null for no times', () => {
  const newest = createNewestTimes()
  expect(newest.median(10)).toBeNull()
  newest.add(0.123)
  newest.add(0.131)
  expect(newest.median(10)).toBe(0.13)
  expect(newest.median(1)).toBe(0.13)
  expect(newest.median(0)).toBeNull()
})
