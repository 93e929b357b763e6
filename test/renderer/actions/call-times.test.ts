import { expect, test } from 'vitest'
import {
  edgeOfTime,
  placeOfTime,
  timeBars,
  timeOfShare,
} from '#renderer/features/actions/history/call-times.ts'

const call = (totalMs: number, ok = true) => ({ totalMs, ok })

test.each([[[40]], [[0.02, 30_000]], [[10, 100, 1000]], [[200, 201, 202]], [[12, 13, 900]]])(
  'bars have every call, in at most 48: %j',
  times => {
    const found = timeBars(times.map(ms => call(ms)))
    if (found === null) throw new Error('There are no bars')
    const { bars, edges } = found
    expect(bars.reduce((sum, { good }) => sum + good, 0)).toBe(times.length)
    expect(bars.length).toBeGreaterThanOrEqual(12)
    expect(bars.length).toBeLessThanOrEqual(48)
    expect(edges).toHaveLength(bars.length + 1)
    for (const ms of times) {
      const index = bars.findIndex((_, bar) => ms < (edges[bar + 1] ?? 0))
      expect(bars[index]?.good).toBeGreaterThan(0)
    }
  },
)

test('bars keep their edges when another call is within them', () => {
  const before = timeBars([call(10), call(900)])
  const after = timeBars([call(10), call(900), call(50, false)])
  expect(after?.edges).toEqual(before?.edges)
  expect(after?.bars.reduce((sum, { bad }) => sum + bad, 0)).toBe(1)
})

test('there are no bars without calls', () => {
  expect(timeBars([])).toBeNull()
  expect(timeOfShare([], 0.5)).toBeNull()
})

test('a share of calls takes no longer than its time', () => {
  const calls = Array.from({ length: 20 }, (_, index) => call(index + 1))
  expect([0.5, 0.95, 1].map(share => timeOfShare(calls, share))).toEqual([10, 19, 20])
  expect(timeOfShare([call(7)], 0.95)).toBe(7)
})

test('a time has a place between the edges, and one beyond them is at an end', () => {
  const edges = [1, 10, 100]
  expect([0, 1, 10, 100, Number.POSITIVE_INFINITY].map(ms => placeOfTime(edges, ms))).toEqual([
    0, 0, 0.5, 1, 1,
  ])
  expect([4, 40, Number.POSITIVE_INFINITY].map(ms => edgeOfTime(edges, ms))).toEqual([1, 2, 2])
})
