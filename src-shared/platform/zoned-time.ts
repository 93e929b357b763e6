import { dayMs, minuteMs } from '../durations.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** @throws RangeError for an unknown time zone. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'iso8601', hourCycle: 'h23', minute: 'numeric', second: 'numeric' },
    ...parts,
  })
  // Names come from requests, so the cache must not grow for ever.
  if (formats.size >= 50) formats.clear()
  formats.set(timeZone, format)
  return format
}

/** Returns whether this computer knows a time zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    formatOf(timeZone)
    return true
  } catch {
    return false
  }
}

/** Returns the milliseconds by which a zone's clocks are ahead of UTC at an instant. */
export function offsetAt(instant: number, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const shown = Date.UTC(
    ...([part('year'), part('month') - 1, part('day')] as [number, number, number]),
    ...([part('hour'), part('minute'), part('second')] as [number, number, number]),
  )
  return shown - Math.floor(instant / 1000) * 1000
}

/**
 * Returns the instants at which a zone's clocks show a time: usually one, two when they were set back over it. When they
 * were set forward over it, both are the moment at which they were set.
 *
 * @param local the shown date and time, as milliseconds since 1970 as if in UTC.
 */
export function instantsOf(local: number, timeZone: string): { first: number; last: number } {
  const before = offsetAt(local - dayMs, timeZone)
  const after = offsetAt(local + dayMs, timeZone)
  const shown = [...new Set([local - before, local - after])]
    .filter(instant => instant + offsetAt(instant, timeZone) === local)
    .sort((a, b) => a - b)
  const [first, last = first] = shown
  if (first !== undefined && last !== undefined) return { first, last }
  const change = changeBetween(local - Math.max(before, after), local - Math.min(before, after), timeZone)
  return { first: change, last: change }
}

/** Returns the first minute in a range at which the offset differs from its start. */
function changeBetween(start: number, end: number, timeZone: string): number {
  const before = offsetAt(start, timeZone)
  let [low, high] = [start, end]
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
    if (offsetAt(middle, timeZone) === before) low = middle
    else high = middle
  }
  return high
}

/** Returns an instant in ISO 8601 with the offset of a zone: `2026-11-26T11:00:00+01:00`. */
export function zonedText(instant: number, timeZone: string): string {
  const offset = offsetAt(instant, timeZone)
  const local = new Date(instant + offset).toISOString().slice(0, 19)
  const minutes = Math.round(Math.abs(offset) / minuteMs)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'))
  return `${local}${offset < 0 ? '-' : '+'}${hours}:${rest}`
}
