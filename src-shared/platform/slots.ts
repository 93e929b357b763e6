import { dayMs, minuteMs } from '../durations.ts'
import { type Calendar, type Weekday, weekdays } from '../model/platform/calendar.ts'
import { instantsOf, offsetAt, zonedText } from './zoned-time.ts'

export type Interval = { readonly start: number; readonly end: number }

export type SlotQuery = {
  readonly availability: Calendar
  /** YYYY-MM-DD, in the agent's time zone. */
  readonly date: string
  readonly timeZone: string
  readonly lengthMinutes: number
  /** Appointments that exist, in milliseconds since 1970, in any order. */
  readonly taken: readonly Interval[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Returns the appointments that can be offered on a date, in ISO 8601 with offset. They begin at the start of the working
 * hours and follow one another with the buffer between them; an appointment that exists moves those after it.
 */
export function slotsOf(query: SlotQuery): { start: string; end: string }[] {
  const { timeZone } = query
  return Array.from(offered(query), ({ start, end }) => ({
    start: zonedText(start, timeZone),
    end: zonedText(end, timeZone),
  }))
}

/** Returns whether an appointment can be offered on a date. */
export const hasSlot = (query: SlotQuery): boolean => offered(query).next().done !== true

function* offered(query: SlotQuery): Generator<Interval, void> {
  const { availability, lengthMinutes, now } = query
  const open = openHours(query)
  if (open === null) return
  const length = lengthMinutes * minuteMs
  const buffer = availability.bufferTime * minuteMs
  const taken = query.taken.toSorted((a, b) => a.start - b.start)
  let at = open.start
  let next = 0
  while (at + length <= open.end) {
    const appointment = taken[next]
    if (appointment !== undefined && appointment.start < at + length + buffer) {
      // Appointments may overlap, so one that ended earlier must not move the next slot back.
      if (appointment.end > appointment.start) at = Math.max(at, appointment.end + buffer)
      next++
      continue
    }
    if (at >= now) yield { start: at, end: at + length }
    at += length + buffer
  }
}

type OpenQuery = Pick<SlotQuery, 'availability' | 'date' | 'timeZone' | 'now'>

/** Returns the working hours of the date as instants; null if it is closed, past or too far ahead. */
export function openHours({ availability, date, timeZone, now }: OpenQuery): Interval | null {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  const today = Math.floor((now + offsetAt(now, timeZone)) / dayMs) * dayMs
  const ahead = (midnight - today) / dayMs
  const hours = availability.workingHours[weekdayOf(midnight)]
  if (hours === undefined || ahead < 0 || ahead > availability.maxAdvanceBooking) return null
  const start = instantsOf(midnight + minutesOf(hours.start) * minuteMs, timeZone)
  const end = instantsOf(midnight + minutesOf(hours.end) * minuteMs, timeZone).first
  // Clocks that are set back show some times twice. Starting at the last and ending at the first stays within the hours.
  const from = start.last < end ? start.last : start.first
  return from < end ? { start: from, end } : null
}

/** Returns the weekday of a date. @param midnight of the date, as if in UTC. */
export function weekdayOf(midnight: number): Weekday {
  // 1 January 1970 was a Thursday.
  const index = (((Math.floor(midnight / dayMs) + 3) % 7) + 7) % 7
  return weekdays[index] ?? 'monday'
}

/** Returns the minutes after midnight of a time HH:MM, up to 24:00. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}
