import { describe, expect, test } from 'vitest'
import { hourBars, hourInWords, hoursInWords } from '#renderer/features/connections/hour-bar-heights.ts'

const hour = (accepted: number, rejected = 0) => ({ accepted, rejected, calls: 0 })

describe('the bars of a day', () => {
  test('the busiest hour has the full height, and the others are in proportion', () => {
    expect(hourBars([hour(0), hour(50), hour(100)], 20)).toEqual([
      { accepted: 0, rejected: 0 },
      { accepted: 10, rejected: 0 },
      { accepted: 20, rejected: 0 },
    ])
  })

  test('one event and one rejection are visible beside ten thousand', () => {
    const [one, busy] = hourBars([hour(1), hour(10_000, 1)], 20)
    expect(one).toEqual({ accepted: 2, rejected: 0 })
    expect(busy).toEqual({ accepted: 17, rejected: 2 })
  })

  test('no hour is higher than the full height, for any counts', () => {
    for (const accepted of [0, 1, 2, 49, 50, 99])
      for (const bar of hourBars([hour(accepted, 100 - accepted)], 20))
        expect(bar.accepted + bar.rejected + (accepted === 0 ? 0 : 1)).toBeLessThanOrEqual(20)
  })

  test('a day without requests has no bars', () => {
    expect(hourBars([hour(0), hour(0)], 20)).toEqual([
      { accepted: 0, rejected: 0 },
      { accepted: 0, rejected: 0 },
    ])
  })
})

describe('the description of the day', () => {
  test('has the sums, then each hour', () => {
    expect(hoursInWords([hour(3), hour(0), hour(2, 1)])).toBe(
      'Events in the last 24 hours: 5 accepted, 1 rejected. By hour, oldest first: 3; 0; 2 accepted, 1 rejected.',
    )
  })
  test('does not list the hours of a day without requests', () => {
    expect(hoursInWords([hour(0), hour(0)])).toBe('Events in the last 24 hours: 0 accepted.')
  })
  test('names the start and the end of an hour', () => {
    const now = Date.parse('2026-11-21T09:45:00.000Z')
    const range = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
    const hours = [hour(7), hour(4, 2)]
    expect(hourInWords(hours, 1, now)).toBe(
      `${range.formatRange(Date.parse('2026-11-21T09:00:00Z'), Date.parse('2026-11-21T10:00:00Z'))} · 4 accepted, 2 rejected`,
    )
    expect(hourInWords(hours, 0, now)).toBe(
      `${range.formatRange(Date.parse('2026-11-21T08:00:00Z'), Date.parse('2026-11-21T09:00:00Z'))} · 7 accepted`,
    )
  })
})
