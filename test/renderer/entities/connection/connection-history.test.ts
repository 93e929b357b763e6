import { describe, expect, test } from 'vitest'
import {
  failingFrom,
  historyBars,
  historyRanges,
  historyStart,
} from '#renderer/entities/connection/connection-history.ts'
import { hoursInWords } from '#renderer/ui/hour-bar-heights.ts'
import type { HourStatistics } from '#shared/model/hour-statistics.ts'
import { startOfTests } from '../../../support/connection-records.ts'

const hourMs = 3_600_000
const nothing = {
  ...{ accepted: 0, repeated: 0, duplicates: 0, refused: {}, calls: {}, answerMs: null, callMs: null },
  runs: { succeeded: 0, failed: 0, cancelled: 0 },
}
const hour = (at: number, counts: Partial<HourStatistics>): HourStatistics => ({
  ...{ ...nothing, ...counts, from: new Date(at).toISOString() },
})

describe('the history of a connection', () => {
  test.each(['day', 'week', 'month'] as const)('of a %s ends with what is under way now', range => {
    const { size, count } = historyRanges[range]
    const start = historyStart(range, startOfTests)
    expect(start % (size * hourMs)).toBe(0)
    const end = start + count * size * hourMs
    expect(startOfTests).toBeLessThan(end)
    expect(startOfTests).toBeGreaterThanOrEqual(end - size * hourMs)
  })

  test('adds up hours, and tells what is zero from what is not known', () => {
    const start = historyStart('week', startOfTests)
    const bars = historyBars(
      [
        hour(start + 12 * hourMs, {
          ...{ accepted: 2, repeated: 1, refused: { invalid_json: 2, unavailable: 1 } },
          ...{ calls: { '2xx': 3, '5xx': 1, timeout: 1 }, runs: { succeeded: 1, failed: 2, cancelled: 4 } },
        }),
        hour(start + 17 * hourMs, { accepted: 1 }),
      ],
      'week',
      start,
      start + 7 * hourMs,
    )
    const zero = { events: { good: 0, bad: 0 }, calls: { good: 0, bad: 0 }, failedRuns: 0 }
    expect(bars).toHaveLength(28)
    expect(bars.slice(0, 4)).toEqual([
      null,
      zero,
      { events: { good: 4, bad: 3 }, calls: { good: 3, bad: 2 }, failedRuns: 2 },
      zero,
    ])
  })

  test('says since when calls fail', () => {
    const calls = (good: number, bad: number) => ({ calls: { good, bad } })
    expect(failingFrom([null, calls(9, 0), calls(0, 1), calls(0, 0), calls(4, 1), null])).toBe(2)
    expect(failingFrom([calls(0, 3), calls(5, 1)])).toBeNull()
    expect(failingFrom([calls(0, 0), null])).toBeNull()
  })

  test('is read aloud with what is not known', () => {
    const words = { of: 'Events', good: 'accepted', bad: 'rejected' }
    const bars = [null, { good: 0, bad: 0 }, { good: 2, bad: 1 }]
    expect(hoursInWords(bars, words, 'the last 30 days', 'day')).toBe(
      'Events in the last 30 days: 2 accepted, 1 rejected. By day, oldest first: unknown; 0; 2 accepted, 1 rejected.',
    )
  })
})
