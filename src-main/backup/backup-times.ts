import { dayMs, hourMs, minuteMs } from '#shared/durations.ts'
import type { BackupSchedule } from '#shared/model/backup.ts'
import { instantsOf, offsetAt } from '#shared/platform/zoned-time.ts'

type Times = Pick<BackupSchedule, 'every' | 'at'>

/** Milliseconds before a backup that failed is tried again. */
export const retryMs = hourMs

/** By how much the clock of another computer may be ahead. */
const aheadMs = 5 * minuteMs

/**
 * Returns whether a time is after `now`: it was told while a clock was wrong, and would hide for good that there is no new
 * backup.
 */
export const isFuture = (at: number, now: number): boolean => at > now + aheadMs

const daysOf = { day: 1, week: 7 } as const
const sunday = 0
/** 1970 began on a Thursday. */
const weekdayOf = (day: number) => (day + 4) % 7

/**
 * Yields the times of a schedule around an instant, oldest first: a whole period and two days before it, and as much after.
 * Each day has one. Where the clocks are set forward over it, that is the moment of the change; where they show it twice, the
 * first of the two.
 */
function* timesAround({ every, at }: Times, now: number, timeZone: string): Generator<number> {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const today = Math.floor((now + offsetAt(now, timeZone)) / dayMs)
  const days = daysOf[every] + 1
  for (let day = today - days; day <= today + days; day++) {
    if (every === 'week' && weekdayOf(day) !== sunday) continue
    yield instantsOf(day * dayMs + hours * hourMs + minutes * minuteMs, timeZone).first
  }
}

/** Returns the last time of a schedule that is not after `now`, in milliseconds since 1970. Weekly ones are on Sundays. */
export function lastTime(times: Times, now: number, timeZone: string): number {
  return Math.max(...[...timesAround(times, now, timeZone)].filter(time => time <= now))
}

/** Returns the first time of a schedule after `now`, in milliseconds since 1970. */
export function nextTime(times: Times, now: number, timeZone: string): number {
  return Math.min(...[...timesAround(times, now, timeZone)].filter(time => time > now))
}

/** All in milliseconds since 1970; null for never. */
type Made = {
  /** Since when the schedule has these times. */
  readonly since: number
  readonly lastGoodAt: number | null
  /** The last attempt of this process. */
  readonly lastTriedAt: number | null
}

/**
 * Returns whether a backup has to be made: none was since the last time of the schedule, and none was tried just now. What
 * happened in the future does not count.
 */
export function isDue(times: Times, { since, lastGoodAt, lastTriedAt }: Made, now: number, timeZone: string) {
  const time = lastTime(times, now, timeZone)
  /** Returns whether something has happened at this time or later. */
  const wasAfter = (at: number | null, earliest: number) =>
    at !== null && at >= earliest && !isFuture(at, now)
  if (wasAfter(since, time + 1) || wasAfter(lastGoodAt, time)) return false
  return !wasAfter(lastTriedAt, Math.max(time, now - retryMs + 1))
}
