import { describe, expect, test } from 'vitest'
import {
  brushOf,
  chartRanges,
  periodOf,
  spanOf,
  sumsInWords,
} from '#renderer/features/activity/chart-span.ts'
import { hourMs } from '#shared/durations.ts'

const now = Date.parse('2026-11-21T14:32:08Z')
const day = spanOf(chartRanges.day, now)

describe('a span', () => {
  test('ends with the part that has begun, so that it stays until that part is over', () => {
    expect(new Date(day.start + day.count * day.width).toISOString()).toBe('2026-11-21T14:45:00.000Z')
    expect(spanOf(chartRanges.day, now + 60_000)).toEqual(day)
    expect(spanOf(chartRanges.month, now).width).toBe(8 * hourMs)
  })

  test('is chosen as a whole without a period, and a period is none that has all of it', () => {
    expect(brushOf(day, {})).toEqual([0, 96])
    expect(periodOf(day, [0, 96])).toEqual({ since: undefined, until: undefined })
  })

  test('a period of some parts is those parts again; with the last one, it goes on', () => {
    const some = periodOf(day, [10, 20])
    expect(brushOf(day, some)).toEqual([10, 20])
    const toEnd = periodOf(day, [90, 96])
    expect(toEnd.until).toBeUndefined()
    expect(brushOf(day, toEnd)).toEqual([90, 96])
  })

  test('of a period outside it, one part is left', () => {
    expect(brushOf(day, { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' })).toEqual([0, 1])
    expect(brushOf(day, { since: '2027-01-01T00:00:00Z' })).toEqual([95, 96])
  })
})

test('sums are told without what there is none of', () => {
  const none = { accepted: 0, refused: 0, calls: 0, callsFailed: 0, runsFailed: 0 }
  expect(sumsInWords(none)).toBe('0 accepted')
  expect(sumsInWords({ accepted: 34, refused: 2, calls: 12, callsFailed: 1, runsFailed: 1 })).toBe(
    '34 accepted, 2 refused, 12 calls, 1 of them failed, 1 failed run',
  )
})
