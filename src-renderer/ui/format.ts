/** Numbers and times in the reader's own locale (design: Copy). Moments are ISO 8601 or milliseconds since 1970. */
type When = string | number | Date

const toDate = (when: When) => (when instanceof Date ? when : new Date(when))

const integer = new Intl.NumberFormat()
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const hourMinute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dayYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const minute = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })

const written = integer.formatToParts(1_000_000.5)
const separatorOf = (type: 'group' | 'decimal') => written.find(part => part.type === type)?.value

/** What stands between thousands and before decimals, for fields that numbers are typed into. */
export const separators = { thousands: separatorOf('group') ?? '', decimals: separatorOf('decimal') ?? '.' }
export const formatNumber = (value: number) => integer.format(value)
/** 0.2, 12.0: with one digit behind the point, so that a running figure keeps its width. */
export const formatTenths = (value: number) => tenths.format(value)
/** 14:32:08 */
export const formatTime = (when: When) => time.format(toDate(when))
/** 14:00–15:00 */
export const formatSpan = (from: number, to: number) => hourMinute.formatRange(from, to)
/** 12 Nov 2026 */
export const formatDate = (when: When) => dayYear.format(toDate(when))
/** 22 Nov 2026, 14:32 */
export const formatMinute = (when: When) => minute.format(toDate(when))
/** 21 Nov 2026, 14:32:08.412 */
export const formatExact = (when: When) => exact.format(toDate(when))
/** 21 Nov, 14:32:08.412: where space is short and the year known */
export const formatMoment = (when: When) => moment.format(toDate(when))

/** 14:32:08 on the day of `now`, 19 Nov, 14:32:08 on others. */
export function formatClock(when: When, now: number): string {
  const date = toDate(when)
  const isToday = date.toDateString() === new Date(now).toDateString()
  return isToday ? time.format(date) : `${day.format(date)}, ${time.format(date)}`
}

/** “12 s ago” under a minute, up to a day in minutes and hours, then the day and the time (design: Copy). */
export function formatRelative(when: When, now: number): string {
  const date = toDate(when)
  const seconds = Math.max(0, Math.floor((now - date.getTime()) / 1000))
  if (seconds < 5) return 'Just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  if (date.toDateString() === yesterday.toDateString()) return `Yesterday, ${hourMinute.format(date)}`
  return `${day.format(date)}, ${hourMinute.format(date)}`
}

/** 0.31, 1.6, 214, 30,000: milliseconds without their unit, as exact as they are worth reading. */
export function formatMsFigure(ms: number): string {
  const digits = ms < 1 ? 2 : ms < 10 ? 1 : 0
  return new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(ms)
}

/** 0.31 ms, 1.6 ms, 214 ms, 30,000 ms. */
export const formatMs = (ms: number) => `${formatMsFigure(ms)} ms`

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** 128 bytes, 1.8 KB: by thousands, as networks count. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  if (unit === 0) return bytes === 1 ? '1 byte' : `${formatNumber(bytes)} bytes`
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} ${units[unit]}`
}

/** “1 action”, “3 actions”. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** “6 h 12 min”: how long something has been going on. */
export function formatSince(since: When, now: number): string {
  const minutes = Math.max(0, Math.floor((now - toDate(since).getTime()) / 60_000))
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

/** A limit as it was set: “1 MiB”, “64 KiB”, else in bytes or what they come to. */
export function binarySize(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${formatNumber(bytes / 1_048_576)} MiB`
  if (bytes % 1024 === 0) return `${formatNumber(bytes / 1024)} KiB`
  return formatBytes(bytes)
}
