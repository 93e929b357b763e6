import { expect, test } from 'vitest'
import { PlausibleTime } from '#main/storage/local/plausible-time.ts'

const start = Date.parse('2026-11-21T09:30:00.000Z')
const minute = 60_000
const hour = 60 * minute
const year = 365 * 24 * hour

/** A clock that can be set, beside one that cannot. */
function clocks(newest: number | null) {
  let elapsed = 1000
  let wrongBy = 0
  const time = new PlausibleTime(newest, hour, () => elapsed)
  return {
    pass: (ms: number) => (elapsed += ms),
    set: (ahead: number) => (wrongBy = ahead),
    read: () => time.at(start + elapsed - 1000 + wrongBy),
  }
}

test('follows a steady clock', () => {
  const { pass, read } = clocks(start - hour)
  expect(read()).toBe(start)
  pass(hour)
  expect(read()).toBe(start + hour)
})

test('ignores a clock that is ten years ahead for a moment', () => {
  const { pass, set, read } = clocks(null)
  read()
  set(10 * year)
  pass(minute)
  expect(read()).toBe(start + minute)
  set(0)
  pass(minute)
  expect(read()).toBe(start + 2 * minute)
})

test('follows a clock that was set forward after an hour, and one that was set back at once', () => {
  const { pass, set, read } = clocks(null)
  read()
  set(10 * year)
  read()
  pass(59 * minute)
  expect(read()).toBe(start + 59 * minute)
  pass(minute)
  expect(read()).toBe(start + hour + 10 * year)
  set(0)
  expect(read()).toBe(start + hour)
})

test('deletes nothing after a late start until the clock was steady for an hour', () => {
  const { pass, read } = clocks(start - 10 * year)
  expect(read()).toBe(Number.NEGATIVE_INFINITY)
  pass(hour)
  expect(read()).toBe(start + hour)
})
