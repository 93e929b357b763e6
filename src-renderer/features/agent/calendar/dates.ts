import { dayMs } from '#shared/durations.ts'
import { hasSlot, openHours, type SlotQuery, weekdayOf } from '#shared/platform/slots.ts'
import { instantsOf, offsetAt, zonedText } from '#shared/platform/zoned-time.ts'

/** Returns the midnight of a date YYYY-MM-DD, as if in UTC. */
const midnightOf = (date: string) => Date.parse(`${date}T00:00:00Z`)
const dateOf = (midnight: number) => new Date(midnight).toISOString().slice(0, 10)

/** Returns the date in a time zone. */
export const dateIn = (now: number, timeZone: string) => zonedText(now, timeZone).slice(0, 10)

/** Returns the date some days later. */
export const addDays = (date: string, days: number) => dateOf(midnightOf(date) + days * dayMs)

/** Returns the month YYYY-MM some months later. */
export function addMonths(month: string, months: number): string {
  const [year = 0, one = 1] = month.split('-').map(Number)
  return dateOf(Date.UTC(year, one - 1 + months)).slice(0, 7)
}

/** Returns the dates of a month by weeks from Monday; null for the days of other months. */
export function weeksOf(month: string): (string | null)[][] {
  const first = midnightOf(`${month}-01`)
  const days = Math.round((midnightOf(`${addMonths(month, 1)}-01`) - first) / dayMs)
  const before = (new Date(first).getUTCDay() + 6) % 7
  return Array.from({ length: Math.ceil((before + days) / 7) }, (_week, week) =>
    Array.from({ length: 7 }, (_day, weekday) => {
      const day = week * 7 + weekday - before
      return day < 0 || day >= days ? null : dateOf(first + day * dayMs)
    }),
  )
}

/** Returns the first date from today on with a slot, within three weeks; today without one. */
export function firstBookable(query: Omit<SlotQuery, 'date'>): string {
  const today = dateIn(query.now, query.timeZone)
  const days = Array.from({ length: 21 }, (_, index) => addDays(today, index))
  return days.find(date => hasSlot({ ...query, date })) ?? today
}

/** Why a date has no slots. */
export type NoSlots = 'past' | 'too_far' | 'closed' | 'skipped' | 'too_late' | 'too_long'

/** Returns why a date has no slots. */
export function whyNoSlots(query: SlotQuery): NoSlots {
  const { availability, date, timeZone, lengthMinutes, now } = query
  const today = dateIn(now, timeZone)
  if (date < today) return 'past'
  if (date > addDays(today, availability.maxAdvanceBooking)) return 'too_far'
  if (availability.workingHours[weekdayOf(midnightOf(date))] === undefined) return 'closed'
  const open = openHours(query)
  if (open === null) return 'skipped'
  return open.end - open.start < lengthMinutes * 60_000 ? 'too_long' : 'too_late'
}

/** Returns the milliseconds by which clocks are set forward on a date; negative if back, 0 if they are not set. */
export function clockChange(date: string, timeZone: string): number {
  const [start, end] = [date, addDays(date, 1)].map(day => instantsOf(midnightOf(day), timeZone).first)
  return offsetAt(end ?? 0, timeZone) - offsetAt(start ?? 0, timeZone)
}

/** Returns the weekday of a date. */
export const weekdayOn = (date: string) => weekdayOf(midnightOf(date))

const ofDay = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const
const dayFormat = new Intl.DateTimeFormat(undefined, ofDay)
const yearFormat = new Intl.DateTimeFormat(undefined, { ...ofDay, year: 'numeric' })
const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Returns “Thursday, 26 November”, with the year if it is not that of `today`. */
export const formatDate = (date: string, today: string) =>
  (date.slice(0, 4) === today.slice(0, 4) ? dayFormat : yearFormat).format(midnightOf(date))

/** Returns “November 2026”. */
export const formatMonth = (month: string) => monthFormat.format(midnightOf(`${month}-01`))
