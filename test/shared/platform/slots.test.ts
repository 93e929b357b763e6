import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Calendar, weekdays } from '#shared/model/platform/calendar.ts'
import { hasSlot, type SlotQuery, slotsOf } from '#shared/platform/slots.ts'
import { instantsOf, offsetAt, zonedText } from '#shared/platform/zoned-time.ts'

const minuteMs = 60_000
const everyDay = (start: string, end: string) =>
  Object.fromEntries(weekdays.map(weekday => [weekday, { start, end }]))

function offered(query: Partial<Omit<SlotQuery, 'availability'>> & { availability?: object }): string[] {
  const { availability = {}, ...rest } = query
  return slotsOf({
    ...{ date: '2026-11-26', timeZone: 'Europe/Berlin', lengthMinutes: 30, taken: [], now: 0 },
    ...rest,
    availability: Calendar.parse({ maxAdvanceBooking: 3650, ...availability }),
    now: rest.now ?? Date.parse(`${rest.date ?? '2026-11-26'}T00:00:00Z`) - 48 * 60 * minuteMs,
  }).map(({ start, end }) => `${start.slice(11, 16)}${start.slice(19)} ${end.slice(11, 16)}`)
}

test('a calendar names every wrong key and time of its working hours', () => {
  const workingHours = { monday: { start: '9:00', end: '17:00' }, Tue: null, WEDNESDAY: 1 }
  const paths = Calendar.safeParse({ workingHours }).error?.issues.map(({ path }) => path.join('.'))
  expect(paths).toEqual(['workingHours.monday.start', 'workingHours.Tue', 'workingHours.WEDNESDAY'])
  expect(Calendar.safeParse({ workingHours: 7 }).error?.issues.map(({ path }) => path)).toEqual([
    ['workingHours'],
  ])
})

describe('slotsOf', () => {
  test('offers the slots of the design: 30 minutes, 15 between them, from 11 to 19', () => {
    const slots = offered({
      availability: { workingHours: { thursday: { start: '11:00', end: '19:00' } }, bufferTime: 15 },
    })
    expect(slots).toHaveLength(11)
    expect(slots[0]).toBe('11:00+01:00 11:30')
    expect(slots.at(-1)).toBe('18:30+01:00 19:00')
  })

  test('offers nothing on a closed day, a past one, or one that is too far ahead', () => {
    const availability = {
      workingHours: { thursday: { start: '09:00', end: '17:00' } },
      maxAdvanceBooking: 2,
    }
    expect(offered({ availability, date: '2026-11-25' })).toEqual([])
    const at = (time: string) => offered({ availability, now: Date.parse(time) }).length
    expect(at('2026-11-27T00:00:00+01:00')).toBe(0)
    expect(at('2026-11-24T00:00:00+01:00')).toBe(16)
    expect(at('2026-11-23T23:59:59+01:00')).toBe(0)
  })

  test('offers nothing that begins before now', () => {
    const now = Date.parse('2026-11-26T16:01:00+01:00')
    expect(offered({ now })).toEqual(['16:30+01:00 17:00'])
  })

  test('keeps the buffer before and after appointments that exist', () => {
    const availability = { workingHours: everyDay('09:00', '12:00'), bufferTime: 10 }
    const taken = [{ start: Date.parse('2026-11-26T10:00+01:00'), end: Date.parse('2026-11-26T10:20+01:00') }]
    expect(offered({ availability, taken })).toEqual([
      '09:00+01:00 09:30',
      '10:30+01:00 11:00',
      '11:10+01:00 11:40',
    ])
  })

  test('leaves out an hour that the clocks skip, and offers both of a repeated one', () => {
    const availability = { workingHours: everyDay('01:00', '04:00') }
    const lengthMinutes = 60
    expect(offered({ availability, lengthMinutes, date: '2026-03-29' })).toEqual([
      '01:00+01:00 03:00',
      '03:00+02:00 04:00',
    ])
    expect(offered({ availability, lengthMinutes, date: '2026-10-25' })).toEqual([
      '01:00+02:00 02:00',
      '02:00+02:00 02:00',
      '02:00+01:00 03:00',
      '03:00+01:00 04:00',
    ])
  })

  test('offers the last hour of a day that is open until 24:00', () => {
    const availability = { workingHours: everyDay('21:30', '24:00') }
    const of = (date: string, timeZone: string) =>
      offered({ availability, lengthMinutes: 60, date, timeZone })
    expect(of('2026-11-26', 'Europe/Berlin')).toEqual(['21:30+01:00 22:30', '22:30+01:00 23:30'])
    const full = { workingHours: everyDay('22:00', '24:00') }
    const whole = { availability: full, lengthMinutes: 120, date: '2026-11-26' }
    expect(offered(whole)).toEqual(['22:00+01:00 00:00'])
    // Clocks are set from 24:00 to 01:00, or back to 23:00: the hour before midnight comes twice.
    expect(of('2026-04-23', 'Africa/Cairo')).toEqual(['21:30+02:00 22:30', '22:30+02:00 23:30'])
    expect(of('2026-10-29', 'Africa/Cairo')).toEqual([
      '21:30+03:00 22:30',
      '22:30+03:00 23:30',
      '23:30+03:00 23:30',
    ])
  })

  test.each(['23:59', '24:00'])('offers nothing until %s on a day that a zone has skipped', end => {
    const availability = { workingHours: everyDay('00:00', end) }
    const query = { availability, timeZone: 'Pacific/Apia', date: '2011-12-30' }
    expect(offered(query)).toEqual([])
  })

  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Pacific/Apia',
  ]
  // Every zone, but those with odd changes more often.
  const anyZone = fc.constantFrom(...zones, ...zones, ...Intl.supportedValuesOf('timeZone'))
  const clockTime = fc.nat(1440).map(minutes => {
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'))
    return `${hours}:${rest}`
  })
  const hours = fc
    .tuple(clockTime, clockTime)
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => (a < b ? { start: a, end: b } : { start: b, end: a }))

  test('never overlaps, never leaves the working hours, never comes within the buffer of an appointment', () => {
    fc.assert(
      fc.property(
        hours,
        anyZone,
        // Days around the changes of clocks, and others.
        fc.oneof(
          fc.constantFrom('2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-10-04'),
          fc.nat(40_000).map(day => new Date(day * 86_400_000).toISOString().slice(0, 10)),
        ),
        fc.integer({ min: 1, max: 300 }),
        fc.nat(120),
        fc.array(fc.tuple(fc.integer({ min: -1440, max: 2880 }), fc.nat(600)), { maxLength: 5 }),
        (open, timeZone, date, lengthMinutes, bufferTime, appointments) => {
          const midnight = Date.parse(`${date}T00:00:00Z`)
          const taken = appointments.map(([start, minutes]) => ({
            start: midnight + start * minuteMs,
            end: midnight + (start + minutes) * minuteMs,
          }))
          const workingHours = everyDay(open.start, open.end)
          const availability = Calendar.parse({ workingHours, bufferTime, maxAdvanceBooking: 10 })
          const now = midnight - 2 * 86_400_000
          const query = { availability, date, timeZone, lengthMinutes, taken, now }
          const slots = slotsOf(query)
          expect(hasSlot(query)).toBe(slots.length > 0)
          const instants = slots.map(({ start, end }) => ({ start: Date.parse(start), end: Date.parse(end) }))
          for (const [index, { start, end }] of instants.entries()) {
            expect(end - start).toBe(lengthMinutes * minuteMs)
            const next = instants[index + 1]
            if (next !== undefined) expect(next.start - end).toBeGreaterThanOrEqual(bufferTime * minuteMs)
            for (const appointment of taken.filter(one => one.end > one.start)) {
              const apart = Math.max(appointment.start - end, start - appointment.end)
              expect(apart).toBeGreaterThanOrEqual(bufferTime * minuteMs)
            }
            for (const instant of [start, end, start + 1]) {
              const shown = zonedText(instant, timeZone)
              expect(shown.slice(0, 10)).toBe(date)
              expect(shown.slice(11, 16) >= open.start && shown.slice(11, 16) <= open.end).toBe(true)
            }
          }
        },
      ),
    )
  })

  test('instantsOf finds every instant at which clocks show a time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), anyZone, (seconds, timeZone) => {
        const instant = Math.floor(seconds / 60) * minuteMs
        const { first, last } = instantsOf(instant + offsetAt(instant, timeZone), timeZone)
        expect([first, last]).toContain(instant)
      }),
    )
  })
})
