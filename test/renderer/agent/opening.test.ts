import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  delayOf,
  formatSeconds,
  playSpeed,
  timeLineEnd,
} from '../../../src-renderer/features/agent/widget/opening.ts'

test('every delay is on the time line and plays within six seconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 600_000 }), delay => {
      expect(timeLineEnd(delay)).toBeGreaterThan(delay)
      expect(timeLineEnd(delay) % 1000).toBe(0)
      expect(delay / playSpeed(delay)).toBeLessThanOrEqual(6000)
      if (delay <= 6000) expect(playSpeed(delay)).toBe(1)
    }),
  )
})

test('a chat without a valid delay opens at once, one that does not open by itself has none', () => {
  expect(delayOf({ autoOpen: true, openDelay: Number.NaN })).toBe(0)
  expect(delayOf({ autoOpen: true, openDelay: -5 })).toBe(0)
  expect(delayOf({ autoOpen: true, openDelay: 4000 })).toBe(4000)
  expect(delayOf({ autoOpen: false, openDelay: 4000 })).toBeNull()
})

test('seconds are written as short as possible', () => {
  expect(formatSeconds(4000)).toBe('4 s')
  expect(formatSeconds(1500)).toBe('1.5 s')
  expect(formatSeconds(0)).toBe('0 s')
})
