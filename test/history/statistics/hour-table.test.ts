import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHourTable, hourOf } from '#main/history/statistics/hour-table.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { startOfTests } from '../../support/connection-records.ts'

const firstHour = hourOf(startOfTests)

/** The same in the plainest way: everything that was counted, in one list. */
function createNaive() {
  const counted: { row: number; hour: number }[] = []
  return {
    add: (row: number, hour: number) => void counted.push({ row, hour }),
    hours: (row: number, upTo: number) =>
      Array.from({ length: hoursShown }, (_, index) => {
        const hour = upTo - hoursShown + 1 + index
        return counted.filter(each => each.row === row && each.hour === hour).length
      }),
  }
}

/** Hours that pass between two events: mostly none, sometimes about a day. */
const passing = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 0, 1, 2) }, fc.nat(60))
const step = fc.record({ passed: passing, late: fc.nat(3), row: fc.nat(40) })

test('matches a list of the last 24 hours at any hour', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(50), (steps, later) => {
      const table = createHourTable(4)
      const naive = createNaive()
      let now = firstHour
      for (const { passed, late, row } of steps) {
        now += passed
        table.add(row, now - late)
        naive.add(row, now - late)
      }
      for (const upTo of [now, now + later])
        for (let row = 0; row <= 41; row++) {
          const hours = naive.hours(row, upTo)
          expect(table.hours(row, upTo)).toEqual(hours)
          expect(table.sum(row, upTo)).toBe(hours.reduce((sum, count) => sum + count, 0))
        }
    }),
    { numRuns: 200 },
  )
})

test.each([24, 25, 10_000])('starts again after the clock was %i hours ahead', ahead => {
  const table = createHourTable(1)
  table.add(0, firstHour + ahead)
  table.add(0, firstHour)
  table.add(0, firstHour + 1)
  expect(table.hours(0, firstHour + 1).slice(-3)).toEqual([0, 1, 1])
  expect(table.sum(0, firstHour + ahead)).toBe(ahead === 24 ? 1 : 0)
})

test('clears one row and no other', () => {
  const table = createHourTable(3)
  for (const row of [0, 1, 2]) table.add(row, firstHour, row + 1)
  table.clear(1)
  expect([0, 1, 2].map(row => table.sum(row, firstHour))).toEqual([1, 0, 3])
})
