import { describe, expect, test } from 'vitest'
import { directionBars, hourBars, hourInWords, hoursInWords } from '#renderer/ui/hour-bar-heights.ts'

const hour = (good: number, bad = 0) => ({ good, bad })
const words = { of: 'Events', good: 'accepted', bad: 'rejected' }

describe('the bars of a day', () => {
  test('the busiest hour has the full height, and the others are in proportion', () => {
    expect(hourBars([hour(0), hour(50), hour(100)], 20)).toEqual([
      { good: 0, bad: 0 },
      { good: 10, bad: 0 },
      { good: 20, bad: 0 },
    ])
  })

  test('one event and one rejection are visible beside ten thousand', () => {
    const [one, busy] = hourBars([hour(1), hour(10_000, 1)], 20)
    expect(one).toEqual({ good: 2, bad: 0 })
    expect(busy).toEqual({ good: 17, bad: 2 })
  })

  test('no hour is higher than the full height, for any counts', () => {
    for (const accepted of [0, 1, 2, 49, 50, 99])
      for (const bar of hourBars([hour(accepted, 100 - accepted)], 20))
        expect(bar.good + bar.bad + (accepted === 0 ? 0 : 1)).toBeLessThanOrEqual(20)
  })

  test('a day without requests has no bars', () => {
    expect(hourBars([hour(0), hour(0)], 20)).toEqual([
      { good: 0, bad: 0 },
      { good: 0, bad: 0 },
    ])
  })
})

describe('the description of the day', () => {
  test('has the sums, then each hour', () => {
    expect(hoursInWords([hour(3), hour(0), hour(2, 1)], words)).toBe(
      'Events in the last 24 hours: 5 accepted, 1 rejected. By hour, oldest first: 3; 0; 2 accepted, 1 rejected.',
    )
  })
  test('does not list the hours of a day without requests', () => {
    expect(hoursInWords([hour(0), hour(0)], words)).toBe('Events in the last 24 hours: 0 accepted.')
  })
  test('names the start and the end of an hour', () => {
    const now = Date.parse('2026-11-21T09:45:00.000Z')
    const range = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
    const hours = [hour(7), hour(4, 2)]
    expect(hourInWords(hours, 1, now, words)).toBe(
      `${range.formatRange(Date.parse('2026-11-21T09:00:00Z'), Date.parse('2026-11-21T10:00:00Z'))} · 4 accepted, 2 rejected`,
    )
    expect(hourInWords(hours, 0, now, words)).toBe(
      `${range.formatRange(Date.parse('2026-11-21T08:00:00Z'), Date.parse('2026-11-21T09:00:00Z'))} · 7 accepted`,
    )
  })
})

test('both directions have about the same scale around an axis, and fit above and below it', () => {
  const bar = (events: number, calls: number, bad = 0) => ({
    events: { good: events, bad },
    calls: { good: 0, bad: calls },
  })
  const even = directionBars([bar(50, 50), null], 61)
  expect(even.axis).toBe(30)
  expect([even.events[0], even.calls[0]]).toEqual([
    { good: 29, bad: 0 },
    { good: 0, bad: 29 },
  ])
  for (const [events, calls] of [
    [1000, 1],
    [1, 1000],
    [0, 0],
  ] as const) {
    const shown = directionBars([bar(events, calls, 3)], 57)
    const height = ({ good, bad } = { good: 0, bad: 0 }) => good + bad
    expect(shown.axis).toBeGreaterThanOrEqual(10)
    expect(height(shown.events[0])).toBeLessThan(shown.axis)
    expect(height(shown.calls[0])).toBeLessThan(57 - shown.axis)
  }
})
