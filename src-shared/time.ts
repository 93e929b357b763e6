import { z } from 'zod'
import { isNumberText } from './json/exact-number.ts'

/** An instant in milliseconds since 1970, and the digits of its fraction below a millisecond, often none. */
export type Instant = { readonly ms: number; readonly fraction: string }

type Parsed = (Instant & { readonly problem: null }) | { readonly problem: string }

/** Longer texts are not times, so a scan is short. */
const maxLength = 64

/** Numbers from 1973 to 9999 are milliseconds. Earlier ones are nearly always seconds. */
export const earliestMs = 1e11
export const latestMs = 253_402_300_799_999

const example = '2026-11-26T11:00:00+01:00'
const noTime = `This is not a time. Write ISO 8601 with an offset, as in ${example}, or milliseconds since 1970.`
const onlyDate = `The date has no time of day. Add one with an offset, as in ${example}, or with Z for UTC.`
const noOffset = `The time has no offset from UTC. Add one, as in ${example}, or Z for UTC.`

/** ISO 8601, extended or basic, with a space for the T and before the offset if wanted. */
const isoTime =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[T ](\d\d)(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d{1,30}))?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i

/**
 * Parses a time from outside: ISO 8601 with an offset, or milliseconds since 1970. A date alone is refused, because its
 * midnight depends on the time zone. The problem never quotes the text, since it may be shown where the text may not.
 */
export function parseTime(text: string): Parsed {
  const trimmed = text.length > maxLength ? '' : text.trim()
  if (/^\d+$/.test(trimmed) || isNumberText(trimmed)) return parseMilliseconds(Number(trimmed))
  return parseIso(trimmed)
}

function parseMilliseconds(value: number): Parsed {
  const isTime = (ms: number) => ms >= earliestMs && ms <= latestMs
  const must = 'A number must be milliseconds since 1970'
  if (isTime(value)) return { problem: null, ms: Math.floor(value), fraction: '' }
  if (isTime(value * 1000)) return { problem: `The time is in seconds. ${must}: multiply it by 1,000.` }
  if (isTime(value / 1e3)) return { problem: `The time is in microseconds. ${must}: divide it by 1,000.` }
  if (isTime(value / 1e6)) return { problem: `The time is in nanoseconds. ${must}: divide it by 1,000,000.` }
  return { problem: `The number is not a time. ${must}, from 1973 on, such as 1795290958474.` }
}

function parseIso(text: string): Parsed {
  const match = isoTime.exec(text)
  if (match === null) return { problem: noTime }
  const part = (index: number) => Number(match[index] ?? 0)
  const [year, month, day] = [part(1), part(3), part(4)]
  if (month < 1 || month > 12) return { problem: 'The date does not exist: months are 01 to 12.' }
  const days = daysIn(year, month)
  if (day < 1 || day > days) return { problem: `The date does not exist: its month has ${days} days.` }
  const [hours, minutes, seconds] = [part(5), part(7), part(8)]
  if (hours > 23 || minutes > 59 || seconds > 59)
    return { problem: 'The time of day does not exist: times are 00:00:00 to 23:59:59.' }
  if (match[5] === undefined) return { problem: onlyDate }
  const offset = minutesOf(match[10])
  if (offset === null) return { problem: noOffset }
  if (offset === undefined) return { problem: 'The offset does not exist: offsets are -23:59 to +23:59.' }
  const digits = (match[9] ?? '').padEnd(3, '0')
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  const sinceMidnight = ((hours * 60 + minutes - offset) * 60 + seconds) * 1000 + Number(digits.slice(0, 3))
  return { problem: null, ms: midnight + sinceMidnight, fraction: digits.slice(3) }
}

/** @param month 1 to 12. */
function daysIn(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate()
}

/** Returns the minutes of an offset from UTC; null without one, undefined for one that does not exist. */
function minutesOf(offset: string | undefined): number | null | undefined {
  if (offset === undefined) return null
  if (/z/i.test(offset)) return 0
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', ''))]
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Returns what is wrong with a text in the form of ISO 8601; null for a time or a date, and for a text of another form. */
export function timeProblem(text: string): string | null {
  const problem = text.length <= maxLength && isoTime.test(text) ? parseIso(text).problem : null
  return problem === onlyDate ? null : problem
}

/** Compares two texts as instants: below, equal to or above zero. Null unless both are times in ISO 8601 with an offset. */
export function compareTimes(left: string, right: string): number | null {
  const a = instantOf(left)
  const b = a && instantOf(right)
  if (a === null || b === null) return null
  if (a.ms !== b.ms) return a.ms - b.ms
  const [c, d] = [a.fraction, b.fraction].map(digits => digits.padEnd(maxLength, '0'))
  return c === d ? 0 : (c ?? '') < (d ?? '') ? -1 : 1
}

function instantOf(text: string): Instant | null {
  // Most texts are not times, and a list may have many.
  if (text.length < 10 || text.length > maxLength || !isDigit(text.charCodeAt(0))) return null
  const parsed = parseIso(text)
  return parsed.problem === null ? parsed : null
}

const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39

const toMs = (given: string | number, context: z.RefinementCtx): number => {
  const parsed = parseTime(String(given))
  if (parsed.problem === null) return parsed.ms
  context.addIssue({ code: 'custom', message: parsed.problem })
  return z.NEVER
}

/** A time in a request, parsed to milliseconds since 1970: ISO 8601 with an offset, or milliseconds. */
export const TimeInput = z.union([z.string(), z.number()], noTime).transform(toMs)

/** The same where only a text can be written: in a query or on the command line. */
export const TimeText = z.string(noTime).transform(toMs)
