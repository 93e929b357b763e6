import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareTimes, parseTime } from '#shared/time.ts'

const problemOf = (text: string) => parseTime(text).problem

describe('a time', () => {
  const at = Date.UTC(2026, 10, 26, 10, 5, 0)
  test.each([
    ['2026-11-26T11:05:00+01:00', at],
    ['2026-11-26T10:05:00Z', at],
    ['2026-11-26t10:05:00z', at],
    ['2026-11-26 10:05:00Z', at],
    ['2026-11-26 11:05:00 +0100', at],
    ['2026-11-26T11:05+01', at],
    ['2026-11-26T04:35:00-05:30', at],
    ['2026-11-26T10:05:00-00:00', at],
    ['20261126T100500Z', at],
    ['20261126T1105+0100', at],
    ['2026-11-26T10:05:00.5Z', at + 500],
    ['2026-11-26T10:05:00,5Z', at + 500],
    ['2026-11-26T10:05:00.123456789Z', at + 123],
    ['  2026-11-26T10:05:00Z ', at],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['0001-01-01T00:00:00Z', Date.parse('0001-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
    ['1795290958474', 1_795_290_958_474],
    ['1795290958474.0', 1_795_290_958_474],
    ['1795290958474.75', 1_795_290_958_474],
    ['1.795290958474e12', 1_795_290_958_474],
    ['01795290958474', 1_795_290_958_474],
    ['100000000000', 100_000_000_000],
    ['253402300799999', 253_402_300_799_999],
  ])('%s is read', (text, ms) => {
    expect(parseTime(text)).toMatchObject({ problem: null, ms })
  })

  test.each([
    ['1795290958', 'in seconds'],
    ['1795290958.474', 'in seconds'],
    ['1.795290958e9', 'in seconds'],
    ['100000000', 'in seconds'],
    ['99999999999', 'in seconds'],
    ['1795290958474000', 'in microseconds'],
    ['1795290958474000000', 'in nanoseconds'],
    ['0', 'not a time'],
    ['-1795290958474', 'not a time'],
    ['3600', 'not a time'],
    ['20261126', 'not a time'],
    ['9'.repeat(64), 'not a time'],
    ['1e400', 'not a time'],
    ['2026-11-31T09:00:00Z', 'has 30 days'],
    ['2026-11-31', 'has 30 days'],
    ['2026-12-24', 'no time of day'],
    [' 2026-12-24 ', 'no time of day'],
    ['20261131T090000Z', 'has 30 days'],
    ['2027-02-29T09:00:00+01:00', 'has 28 days'],
    ['2100-02-29T09:00:00Z', 'has 28 days'],
    ['2028-02-30T09:00:00Z', 'has 29 days'],
    ['2026-12-32T09:00:00Z', 'has 31 days'],
    ['2026-11-00T09:00:00Z', 'has 30 days'],
    ['2026-13-01T09:00:00Z', 'months are 01 to 12'],
    ['2026-00-01T09:00:00Z', 'months are 01 to 12'],
    ['2026-11-26T24:00:00Z', 'time of day'],
    ['2026-11-26T25:00:00Z', 'time of day'],
    ['2026-11-26T10:60:00Z', 'time of day'],
    ['2026-11-26T23:59:60Z', 'time of day'],
    ['2026-11-30T09:00:00', 'no offset'],
    ['2026-11-30 09:00', 'no offset'],
    ['2026-11-31T09:00:00', 'has 30 days'],
    ['2026-11-26T09:00:00+24:00', 'offset does not exist'],
    ['2026-11-26T09:00:00+01:60', 'offset does not exist'],
    ['', 'not a time'],
    ['tomorrow', 'not a time'],
    ['Thu, 26 Nov 2026 10:05:00 GMT', 'not a time'],
    ['26.11.2026 10:05', 'not a time'],
    ['11/26/2026', 'not a time'],
    ['2026-1-2T10:00:00Z', 'not a time'],
    ['2026-11-26T10Z', 'not a time'],
    ['2026-W48-4', 'not a time'],
    ['2026-11-26T10:05:00Europe/Berlin', 'not a time'],
    ['2026-11-26T10:05:00 01:00', 'not a time'],
    ['2026-11-26T10:05:00Z\n2026', 'not a time'],
    ['٢٠٢٦-11-26T10:05:00Z', 'not a time'],
    [`2026-11-26T10:05:00.${'0'.repeat(31)}Z`, 'not a time'],
    [`${' '.repeat(1_000_000)}2026-11-26T10:05:00Z`, 'not a time'],
  ])('%s is refused, and the problem says that it is %s', (text, problem) => {
    expect(problemOf(text)).toContain(problem)
  })

  test('is read as Date does, for any instant and offset', () => {
    const instants = fc.date({ min: new Date(0), max: new Date(253_402_300_799_999), noInvalidDate: true })
    fc.assert(
      fc.property(instants, fc.integer({ min: -840, max: 840 }), (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString()
        fc.pre(local.length === 24)
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const pad = (part: number) => String(part).padStart(2, '0')
        const text = `${local.slice(0, -1)}${minutes < 0 ? '-' : '+'}${pad(hours)}:${pad(rest)}`
        expect(parseTime(text)).toMatchObject({ ms: date.getTime() })
        expect(compareTimes(text, date.toISOString())).toBe(0)
      }),
    )
  })
})
