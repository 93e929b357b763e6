import { describe, expect, test } from 'vitest'
import { isDue, lastTime, nextTime, retryMs } from '#main/backup/backup-times.ts'
import type { BackupSchedule } from '#shared/model/backup.ts'

const at = (text: string) => Date.parse(text)
const iso = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z')
const times = (every: BackupSchedule['every'], time: string) => ({ every, at: time })

/** Returns the times of a schedule between two instants, as each `nextTime` leads to the one after it. */
function timesBetween(from: string, to: string, schedule: ReturnType<typeof times>, zone: string): string[] {
  const found: string[] = []
  for (let now = nextTime(schedule, at(from), zone); now <= at(to); now = nextTime(schedule, now, zone)) {
    expect(lastTime(schedule, now, zone)).toBe(now)
    expect(lastTime(schedule, now + 1, zone)).toBe(now)
    found.push(iso(now))
  }
  return found
}

describe('a schedule in local time', () => {
  test('is every day at the same time of day, before and after the clocks change', () => {
    expect(
      timesBetween('2026-03-27T12:00Z', '2026-03-31T00:00Z', times('day', '03:30'), 'Europe/Berlin'),
    ).toEqual(['2026-03-28T02:30Z', '2026-03-29T01:30Z', '2026-03-30T01:30Z'])
    expect(
      timesBetween('2026-10-23T12:00Z', '2026-10-27T00:00Z', times('day', '03:30'), 'Europe/Berlin'),
    ).toEqual(['2026-10-24T01:30Z', '2026-10-25T02:30Z', '2026-10-26T02:30Z'])
  })

  test('has one time on the day on which the clocks skip it: when they are changed', () => {
    expect(
      timesBetween('2026-03-27T12:00Z', '2026-03-31T00:00Z', times('day', '02:30'), 'Europe/Berlin'),
    ).toEqual(['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'])
  })

  test('has one time on the day on which the clocks show it twice: the first', () => {
    expect(
      timesBetween('2026-10-23T12:00Z', '2026-10-27T00:00Z', times('day', '02:30'), 'Europe/Berlin'),
    ).toEqual(['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z'])
    // Across midnight, in a zone that changes then.
    expect(
      timesBetween('2026-10-31T12:00Z', '2026-11-03T00:00Z', times('day', '00:30'), 'America/Havana'),
    ).toEqual(['2026-11-01T04:30Z', '2026-11-02T05:30Z'])
  })

  test('is every week on Sunday, which is when the clocks change', () => {
    expect(
      timesBetween('2026-10-12T00:00Z', '2026-11-02T00:00Z', times('week', '02:30'), 'Europe/Berlin'),
    ).toEqual(['2026-10-18T00:30Z', '2026-10-25T00:30Z', '2026-11-01T01:30Z'])
    expect(
      timesBetween('2026-03-18T00:00Z', '2026-04-06T00:00Z', times('week', '02:30'), 'Europe/Berlin'),
    ).toEqual(['2026-03-22T01:30Z', '2026-03-29T01:00Z', '2026-04-05T00:30Z'])
  })

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'UTC'])('is right in %s', zone => {
    const now = at('2026-11-30T12:00Z')
    for (const every of ['day', 'week'] as const)
      for (const time of ['00:00', '03:00', '23:59']) {
        const [last, next] = [lastTime, nextTime].map(of => of(times(every, time), now, zone))
        expect(last).toBeLessThanOrEqual(now)
        expect(next).toBeGreaterThan(now)
        expect(Number(next) - Number(last)).toBe((every === 'day' ? 1 : 7) * 86_400_000)
      }
  })
})

describe('a backup', () => {
  const daily = times('day', '03:00')
  const now = at('2026-11-30T03:00:05Z')
  const made = { since: 0, lastGoodAt: at('2026-11-29T03:00:03Z'), lastTriedAt: at('2026-11-29T03:00:03Z') }
  const due = (changes: Partial<typeof made> & { lastTriedAt?: number | null }, when = now) =>
    isDue(daily, { ...made, ...changes }, when, 'UTC')

  test('is due from its time on, until one was made', () => {
    expect(due({}, at('2026-11-30T02:59:59Z'))).toBe(false)
    expect(due({})).toBe(true)
    expect(due({ lastGoodAt: now })).toBe(false)
  })

  test('is due once after missed times', () => {
    const later = at('2026-12-04T11:00Z')
    expect(due({}, later)).toBe(true)
    expect(due({ lastGoodAt: later }, later + 60_000)).toBe(false)
  })

  test('is not due for a time before the schedule was set', () => {
    expect(due({ since: at('2026-11-30T03:00:01Z') })).toBe(false)
    expect(due({ since: at('2026-11-30T03:00:00Z') })).toBe(true)
  })

  test('that failed is due an hour later, or at the next time', () => {
    expect(due({ lastTriedAt: now }, now + retryMs - 1)).toBe(false)
    expect(due({ lastTriedAt: now }, now + retryMs)).toBe(true)
    const late = at('2026-12-01T02:59:00Z')
    expect(due({ lastTriedAt: late }, late + 59_000)).toBe(false)
    expect(due({ lastTriedAt: late }, late + 60_000)).toBe(true)
  })

  test('is due whatever was done while the clock was ahead', () => {
    const ahead = at('2099-01-01T03:00Z')
    expect(due({ since: ahead, lastGoodAt: ahead, lastTriedAt: ahead })).toBe(true)
    // The clocks of nodes differ by less.
    expect(due({ lastGoodAt: now + 60_000 })).toBe(false)
  })
})
