/** Numbers and times in the reader's own locale. Times are ISO 8601 or milliseconds since 1970. */
type When = string | number | Date

const integer = new Intl.NumberFormat()
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const rounded = (value: number, digits: number) =>
  new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(value)

const day = { day: 'numeric', month: 'short' } as const
const dayOfYear = { ...day, year: 'numeric' } as const
const minutes = { hour: '2-digit', minute: '2-digit' } as const
const seconds = { ...minutes, second: '2-digit' } as const
const milliseconds = { ...seconds, fractionalSecondDigits: 3 } as const

function formatter(options: Intl.DateTimeFormatOptions): (when: When) => string {
  const format = new Intl.DateTimeFormat(undefined, options)
  return when => format.format(new Date(when))
}

const written = integer.formatToParts(1_000_000.5)
const separatorOf = (type: 'group' | 'decimal') => written.find(part => part.type === type)?.value

/** The thousands and decimal separators, for number fields. */
export const separators = { thousands: separatorOf('group') ?? '', decimals: separatorOf('decimal') ?? '.' }
export const formatNumber = (value: number) => integer.format(value)
/** 0.2, 12.0: always one decimal, so that a running figure keeps its width. */
export const formatTenths = (value: number) => tenths.format(value)
/** 14:32:08 */
export const formatTime = formatter(seconds)
/** 12 Nov 2026 */
export const formatDate = formatter(dayOfYear)
/** 22 Nov 2026, 14:32 */
export const formatMinute = formatter({ ...dayOfYear, ...minutes })
/** 21 Nov 2026, 14:32:08.412 */
export const formatExact = formatter({ ...dayOfYear, ...milliseconds })
/** 21 Nov, 14:32:08.412: for narrow places where the year is known */
export const formatMoment = formatter({ ...day, ...milliseconds })
/** 17 Nov */
export const formatDay = formatter(day)
/** 14:32 */
export const formatHourMinute = formatter(minutes)
const hourMinute = new Intl.DateTimeFormat(undefined, minutes)
/** 14:00–15:00 */
export const formatSpan = (from: number, to: number) => hourMinute.formatRange(from, to)

/** Sat */
export const formatWeekday = formatter({ weekday: 'short' })
const period = new Intl.DateTimeFormat(undefined, { ...day, ...minutes })
/** 21 Nov, 06:00 – 14:32; without an end 21 Nov, 06:00 */
export const formatPeriod = (from: number, to?: number) =>
  to === undefined ? period.format(from) : period.formatRange(from, to)

const isSameDay = (one: Date, other: Date) => one.toDateString() === other.toDateString()

/** 14:32:08 on the day of `now`, 19 Nov, 14:32:08 on other days. */
export function formatClock(when: When, now: number): string {
  const clock = formatTime(when)
  return isSameDay(new Date(when), new Date(now)) ? clock : `${formatDay(when)}, ${clock}`
}

/**
 * “12 s ago”, “3 min ago”, “6 h ago”; after 23 hours the day and the time. The 24 hours of the counts begin with a full
 * hour, so that something 23 hours and some minutes ago is no longer counted.
 */
export function formatRelative(when: When, now: number): string {
  const date = new Date(when)
  const seconds = Math.max(0, Math.floor((now - date.getTime()) / 1000))
  if (seconds < 5) return 'Just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 82_800) return `${Math.floor(seconds / 3600)} h ago`
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  return `${isSameDay(date, yesterday) ? 'Yesterday' : formatDay(date)}, ${formatHourMinute(date)}`
}

/** 0.31, 1.6, 214, 30,000: milliseconds without their unit, with as many digits as are useful. */
export const formatMsFigure = (ms: number) => rounded(ms, ms < 1 ? 2 : ms < 10 ? 1 : 0)
/** 0.31 ms, 1.6 ms, 214 ms, 30,000 ms. */
export const formatMs = (ms: number) => `${formatMsFigure(ms)} ms`

/** 241 ms, 1.6 s, 42 s, 7 min, 1 h 4 min, 3 days: a length of time, without what does not matter. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return formatMs(Math.round(ms))
  if (ms < 60_000) return `${rounded(ms < 10_000 ? ms / 1000 : Math.floor(ms / 1000), 1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

/** 1 min 7 s: like formatDuration, but with the seconds of the last ten minutes. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return seconds < 600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : formatDuration(ms)
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** 128 bytes, 1.8 KB: in powers of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  if (unit === 0) return formatCount(bytes, 'byte')
  return `${rounded(value, value < 10 ? 1 : 0)} ${units[unit]}`
}

/** “1 action”, “3 actions”. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** “6 h 12 min”: the time since a moment. */
export function formatSince(since: When, now: number): string {
  const ms = now - new Date(since).getTime()
  return ms < 60_000 ? 'less than a minute' : formatDuration(ms)
}

/** A limit as it was set: “1 MiB”, “64 KiB”, else in bytes or powers of 1,000. */
export function binarySize(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${formatNumber(bytes / 1_048_576)} MiB`
  if (bytes % 1024 === 0) return `${formatNumber(bytes / 1024)} KiB`
  return formatBytes(bytes)
}

/** Returns a text with its first letter as a capital. */
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
