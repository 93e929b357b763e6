import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addDays,
  addMonths,
  clockChange,
  firstBookable,
  weekdayOn,
  weeksOf,
  whyNoSlots,
} from '#renderer/features/agent/calendar/dates.ts'
import {
  axisOf,
  clockTime,
  completeTime,
  copyMonday,
  isDrawable,
  minutesAWeek,
  moveEdge,
  stepTime,
  withDay,
} from '#renderer/features/agent/calendar/hours.ts'
import { Calendar, weekdays } from '#shared/model/platform/calendar.ts'
import { minutesOf, slotsOf } from '#shared/platform/slots.ts'

const hours = fc
  .tuple(fc.nat(1439), fc.nat(1440))
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ start: clockTime(Math.min(a, b), 'start'), end: clockTime(Math.max(a, b), 'end') }))
const isValid = (workingHours: object) => Calendar.safeParse({ workingHours }).success

describe('the hours of a day', () => {
  test('stay valid however an edge is dragged, at a quarter of an hour', () => {
    fc.assert(
      fc.property(
        hours,
        fc.constantFrom('start', 'end'),
        fc.integer({ min: -60, max: 1500 }),
        (before, edge, to) => {
          const after = moveEdge(before, edge, to)
          expect(isValid({ monday: after })).toBe(true)
          const at = minutesOf(after[edge])
          expect(at % 15).toBe(0)
        },
      ),
    )
  })

  test('step to the next quarter of an hour and back, within the day', () => {
    const up = (edge: 'start' | 'end', ...times: string[]) => times.map(time => stepTime(time, 1, edge))
    const down = (...times: string[]) => times.map(time => stepTime(time, -1, 'end'))
    expect(up('start', '09:00', '09:07', '23:45', '23:59')).toEqual(['09:15', '09:15', '23:59', '23:59'])
    expect(up('end', '09:00', '09:07', '23:45', '23:59')).toEqual(['09:15', '09:15', '24:00', '24:00'])
    expect(up('end', '24:00')).toEqual(['24:00'])
    expect(down('09:00', '09:07', '00:00', '23:59')).toEqual(['08:45', '09:00', '00:00', '23:45'])
    expect(down('24:00')).toEqual(['23:45'])
    expect(stepTime('9', 1, 'start')).toBe('9')
  })

  test('are completed from what is typed', () => {
    expect(['24', '9', '09', '9:00', '0900', '9.05', '17:3', 'noon', ''].map(completeTime)).toEqual([
      '24:00',
      '09:00',
      '09:00',
      '09:00',
      '09:00',
      '09:05',
      '17:3',
      'noon',
      '',
    ])
  })

  test('fit on the axis, with an hour to drag to', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...weekdays), hours), week => {
        const { from, to } = axisOf(week)
        expect(from).toBeLessThanOrEqual(7)
        expect(to).toBeGreaterThanOrEqual(20)
        for (const { start, end } of Object.values(week)) {
          expect(minutesOf(start)).toBeGreaterThanOrEqual(from * 60)
          expect(minutesOf(end)).toBeLessThanOrEqual(to * 60)
        }
      }),
    )
    expect(axisOf({ monday: { start: '06:30', end: '20:00' } })).toEqual({ from: 5, to: 21 })
    expect(axisOf({ monday: { start: '00:00', end: '23:59' } })).toEqual({ from: 0, to: 24 })
    expect(axisOf({ monday: { start: '00:00', end: '24:00' } })).toEqual({ from: 0, to: 24 })
    expect(axisOf({})).toEqual({ from: 7, to: 20 })
  })

  test('are counted, copied and closed', () => {
    const office = { start: '09:00', end: '17:00' }
    const week = copyMonday({ monday: office, saturday: { start: '10:00', end: '12:30' } })
    expect(Object.keys(week)).toEqual([...weekdays.slice(0, 5), 'saturday'])
    expect(minutesAWeek(week)).toBe(5 * 480 + 150)
    expect(Object.keys(withDay(withDay(week, 'monday', undefined), 'sunday', office))[0]).toBe('tuesday')
    expect(copyMonday({ friday: office })).toEqual({ friday: office })
    expect(minutesAWeek({ monday: { start: '9', end: '17:00' } })).toBe(0)
    expect(isDrawable({ start: '17:00', end: '09:00' })).toBe(false)
  })
})

describe('the month', () => {
  test('has each of its days once, under its weekday', () => {
    fc.assert(
      fc.property(fc.integer({ min: -600, max: 1200 }), offset => {
        const month = addMonths('2026-01', offset)
        const days = weeksOf(month).flatMap(week =>
          week.flatMap((date, index) => (date === null ? [] : [{ date, weekday: weekdays[index] }])),
        )
        expect(days[0]?.date).toBe(`${month}-01`)
        expect(addDays(days.at(-1)?.date ?? '', 1)).toBe(`${addMonths(month, 1)}-01`)
        for (const [index, { date, weekday }] of days.entries()) {
          expect(weekday).toBe(weekdayOn(date))
          if (index > 0) expect(date).toBe(addDays(days[index - 1]?.date ?? '', 1))
        }
        expect(addMonths(addMonths(month, offset), -offset)).toBe(month)
      }),
    )
  })
})

describe('a date without slots', () => {
  const availability = Calendar.parse({
    workingHours: { tuesday: { start: '09:00', end: '10:00' }, sunday: { start: '02:00', end: '03:00' } },
    maxAdvanceBooking: 20,
  })
  const query = {
    ...{ availability, timeZone: 'Europe/Berlin', lengthMinutes: 30, taken: [] },
    now: Date.parse('2026-03-17T09:00:00Z'),
  }
  const why = (date: string, lengthMinutes = 30) => whyNoSlots({ ...query, date, lengthMinutes })

  test('has a reason', () => {
    expect(why('2026-03-16')).toBe('past')
    expect(why('2026-03-17')).toBe('too_late')
    expect(why('2026-03-18')).toBe('closed')
    expect(why('2026-03-24', 61)).toBe('too_long')
    expect(why('2026-03-29')).toBe('skipped')
    expect(why('2026-04-07')).toBe('too_far')
  })

  test('is never the first bookable one if another has slots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), fc.nat(7 * 24), (lengthMinutes, hoursLater) => {
        const given = { ...query, lengthMinutes, now: query.now + hoursLater * 3_600_000 }
        const date = firstBookable(given)
        const count = slotsOf({ ...given, date }).length
        expect(count > 0).toBe(lengthMinutes <= 60)
      }),
    )
  })

  test('knows when clocks are set', () => {
    const hour = 3_600_000
    expect(clockChange('2026-03-29', 'Europe/Berlin')).toBe(hour)
    expect(clockChange('2026-10-25', 'Europe/Berlin')).toBe(-hour)
    expect(clockChange('2026-10-04', 'Australia/Lord_Howe')).toBe(hour / 2)
    expect(clockChange('2026-03-28', 'Europe/Berlin')).toBe(0)
  })
})
