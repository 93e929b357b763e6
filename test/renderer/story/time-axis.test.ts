import { describe, expect, test } from 'vitest'
import { cutOf, shareOf, ticksOf, timeAxis } from '#renderer/features/story/time-axis.ts'

const start = Date.UTC(2026, 10, 21, 14, 25, 2)

describe('the time axis of a story', () => {
  test('is one part for a story of at most a second', () => {
    const axis = timeAxis([start + 40, start, start + 20], null)
    expect(cutOf(axis)).toBeNull()
    expect(axis.parts).toEqual([{ from: start, to: start + 40, start: 0, end: 0.97 }])
    expect(shareOf(axis, start + 20)).toBeCloseTo(0.485)
    expect(ticksOf(axis).map(({ at }) => at - start)).toEqual([0, 20, 40])
  })

  test('has a length even if everything happened at once', () => {
    const axis = timeAxis([start], null)
    expect(shareOf(axis, start)).toBe(0)
    expect(ticksOf(axis)).toEqual([
      { at: start, share: 0, isSince: true },
      { at: start + 1, share: 0.97, isSince: true },
    ])
  })

  test('is cut between the first 250 ms and what happens after', () => {
    const axis = timeAxis([start, start + 212, start + 29_000, start + 60_000], null)
    expect(cutOf(axis)).toEqual({ from: start + 250, to: start + 29_000, start: 0.43, end: 0.49 })
    expect(shareOf(axis, start + 125)).toBeCloseTo(0.215)
    expect(shareOf(axis, start + 29_000)).toBe(0.49)
    expect(shareOf(axis, start + 60_000)).toBe(0.97)
    // A bar that ends in what is cut out ends in the cut.
    expect(shareOf(axis, start + 250 + 14_375)).toBeCloseTo(0.46)
    expect(ticksOf(axis).map(({ at, isSince }) => [at - start, isSince])).toEqual([
      [0, true],
      [100, true],
      [200, true],
      [29_000, false],
      [60_000, false],
    ])
  })

  test('reaches to the present, and leaves room for its word', () => {
    const axis = timeAxis([start, start + 200, start + 30_000], start + 30_500)
    expect(shareOf(axis, start + 30_500)).toBe(0.97)
    expect(ticksOf(axis).map(({ at }) => at - start)).toEqual([0, 100, 200, 30_000])
    // The last tick is written to the left of its place, where the word would be.
    const near = timeAxis([start, start + 30_000, start + 100_000], start + 82_000)
    expect(ticksOf(near).map(({ at }) => at - start)).not.toContain(100_000)
    const waiting = timeAxis([start, start + 60_000], start + 30_000)
    expect(shareOf(waiting, start + 60_000)).toBe(0.97)
    expect(cutOf(waiting)?.to).toBe(start + 30_000)
  })

  test('gives a place to what follows alone after the cut, and to times outside', () => {
    const axis = timeAxis([start, start + 5000], null)
    expect(shareOf(axis, start + 5000)).toBe(0.49)
    expect(shareOf(axis, start - 1)).toBe(0)
    expect(shareOf(axis, start + 9000)).toBe(0.97)
  })

  test('finds its ends among a hundred thousand moments', () => {
    const moments = Array.from({ length: 100_000 }, (_, index) => start + index)
    expect(timeAxis(moments, null).parts[1]?.to).toBe(start + 99_999)
  })
})
