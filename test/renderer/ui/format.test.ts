import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatCountdown,
  formatDuration,
  formatMs,
  formatRelative,
  formatSince,
} from '#renderer/ui/format.ts'

const now = Date.parse('2026-11-21T12:00:00.000Z')
const ago = (seconds: number) => formatRelative(now - seconds * 1000, now)

describe('a time', () => {
  test('is relative to now within a day', () => {
    expect([12, 59, 60, 41 * 60, 3600, 22.9 * 3600].map(ago)).toEqual([
      '12 s ago',
      '59 s ago',
      '1 min ago',
      '41 min ago',
      '1 h ago',
      '22 h ago',
    ])
  })

  test('is never in the future, even if the clocks differ', () => {
    expect(ago(-3600)).toBe(ago(0))
  })

  test('is a day and a time once the counts of the last 24 hours may leave it out', () => {
    expect(ago(23.1 * 3600)).toMatch(/^Yesterday, /)
    expect(ago(9 * 86_400)).toMatch(/12.*Nov|Nov.*12/)
  })

  test('is shown as a duration in hours and minutes, then in days', () => {
    expect(formatSince(now - 30_000, now)).toBe('less than a minute')
    expect(formatSince(now - 372 * 60_000, now)).toBe('6 h 12 min')
    expect(formatSince(now - 72 * 3_600_000, now)).toBe('3 days')
  })
})

test('sizes, counts and durations have a useful number of digits', () => {
  expect([0, 1, 128, 999].map(formatBytes)).toEqual(['0 bytes', '1 byte', '128 bytes', '999 bytes'])
  expect(formatBytes(1840)).toMatch(/^1[.,]8 KB$/)
  expect(formatCount(1, 'action')).toBe('1 action')
  expect(formatCount(0, 'action')).toBe('0 actions')
  expect(formatMs(214.6)).toBe('215 ms')
  expect(formatMs(1.64)).toMatch(/^1[.,]6 ms$/)
  expect(formatMs(0.312)).toMatch(/^0[.,]31 ms$/)
})

test('every size has a unit', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), bytes => {
      expect(formatBytes(bytes)).toMatch(/^[\d.,\u00a0\u202f]+ (byte|bytes|KB|MB|GB|TB)$/)
    }),
  )
})

test('a length of time is as exact as it matters', () => {
  const lengths = [0.4, 241, 1600, 42_900, 420_000, 3_840_000, 3 * 86_400_000]
  expect(lengths.map(formatDuration)).toEqual([
    '0 ms',
    '241 ms',
    '1.6 s',
    '42 s',
    '7 min',
    '1 h 4 min',
    '3 days',
  ])
  expect([900, 66_500, 599_000, 3_600_000].map(formatCountdown)).toEqual([
    '1 s',
    '1 min 7 s',
    '9 min 59 s',
    '1 h 0 min',
  ])
})
