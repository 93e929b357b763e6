import { expect, test } from 'vitest'
import { createEventRate } from '#main/history/event-rate.ts'

test('counts the events of the last ten seconds that have ended', () => {
  let now = 1_000_000
  const rate = createEventRate(() => now)
  const count = (events: number) => {
    for (let n = 0; n < events; n++) rate.count()
  }
  count(30)
  expect(rate.perSecond()).toBe(0)
  now += 1000
  expect(rate.perSecond()).toBe(30)
  count(10)
  now += 1000
  expect(rate.perSecond()).toBe(20)
  now += 8000
  expect(rate.perSecond()).toBe(4)
  now += 1000
  expect(rate.perSecond()).toBe(1)
  now += 3_600_000
  expect(rate.perSecond()).toBe(0)
})
