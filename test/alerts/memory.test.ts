import { describe, expect, test } from 'vitest'
import { readMemory, silentSince, wasDown } from '#main/alerts/memory.ts'

const now = 100_000_000
const up = { isEnabled: true, lastEventAt: 0, before: undefined, wasDown: false }

describe('the start of a silence', () => {
  test('is the last event, and nothing without one', () => {
    expect(silentSince(up, now)).toBeNull()
    expect(silentSince({ ...up, lastEventAt: 5 }, now)).toBe(5)
    expect(silentSince({ ...up, lastEventAt: 5, before: 9 }, now)).toBe(9)
    expect(silentSince({ ...up, lastEventAt: 12, before: 9 }, now)).toBe(12)
  })

  test('is remembered when the statistics know no event any more', () => {
    expect(silentSince({ ...up, before: 9 }, now)).toBe(9)
  })

  test('moves to the end of a time in which the service was down, or the connection disabled', () => {
    expect(silentSince({ ...up, lastEventAt: 5, before: 5, wasDown: true }, now)).toBe(now)
    expect(silentSince({ ...up, lastEventAt: 5, before: 5, isEnabled: false }, now)).toBe(now)
  })
})

test('a pause of more than two minutes between two steps counts as downtime', () => {
  expect(wasDown(now - 120_000, now)).toBe(false)
  expect(wasDown(now - 120_001, now)).toBe(true)
  expect(wasDown(0, now)).toBe(true)
})

test('a damaged memory is an empty one', () => {
  const empty = { silentSince: {}, followedRun: {}, prunedAt: 0 }
  for (const doc of ['', '{', '[]', '{"silentSince":3}']) expect(readMemory(doc)).toEqual(empty)
})
