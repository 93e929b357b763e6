import { minuteMs } from '#shared/durations.ts'
import { timestampsIn } from '#shared/model/sender/header-values.ts'
import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { placeText, valuesAt } from './places.ts'
import type { PreparedTemplate } from './prepare-sender.ts'
import { type HeadProblem, repeated, type SenderRequest, type Time } from './sender-head.ts'

const timestampShape = /^[0-9]{1,15}$/
/** Without zeros before it, so that it has one length: a digit of the value before it cannot be one of its own. */
const plainTimestamp = /^(?:0|[1-9][0-9]{0,14})$/
const isoShape = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:([Zz])|([+-]\d\d):?(\d\d))$/

const unitTexts: Readonly<Record<SenderTemplate['timestampUnit'], string>> = {
  s: 'seconds since 1970 in decimal digits',
  ms: 'milliseconds since 1970 in decimal digits',
  iso: 'a time as in ISO 8601 with its offset, such as 2026-11-28T09:30:00Z',
}

/** Returns the time of a text in ISO 8601 with an offset, in milliseconds since 1970; NaN for any other text. */
export function isoTimeOf(text: string): number {
  const [, day, time, utc, hours, minutes] = isoShape.exec(text) ?? []
  if (day === undefined) return Number.NaN
  return Date.parse(`${day}T${time}${utc === undefined ? `${hours}:${minutes}` : 'Z'}`)
}

/** Reads and checks the time of a request; null for a proof without one. */
export function readTime(prepared: PreparedTemplate, request: SenderRequest, nowMs: number): Time | null {
  const { template, timestamp: place } = prepared
  if (place === null) return null
  const { timestampPrefix: prefix = '', timestampUnit: unit, windowMs } = template
  const values = valuesAt(place, request)
  if (values === null) return { problem: null, text: undefined, atMs: undefined }
  const texts = values.flatMap(value => timestampsIn(value, template))
  const [text = ''] = texts
  const name = placeText(place)
  const where = prefix === '' ? name : `"${prefix}" of the ${name}`
  const found = (problem: HeadProblem | null, atMs?: number) => ({ problem, text: text || undefined, atMs })
  if (texts.length > 1)
    return found({ code: 'invalid_timestamp', detail: `The ${where} was sent more than once.`, ...repeated })
  if (text === '') return found({ code: 'missing_timestamp', detail: `The ${where} is missing.` })
  const atMs = timeOf(prepared, text)
  if (Number.isNaN(atMs))
    return found({ code: 'invalid_timestamp', detail: `The ${where} must be ${unitTexts[unit]}.` })
  if (Math.abs(nowMs - atMs) <= windowMs) return found(null, atMs)
  const inPlace = 'header' in place ? place.header : `the ${name}`
  const detail = `The timestamp in ${inPlace} differs from the time of this service by more than ${windowText(windowMs)}.`
  return found({ code: 'stale_timestamp', detail }, atMs)
}

function timeOf({ template: { timestampUnit: unit }, isDefault }: PreparedTemplate, text: string): number {
  if (unit === 'iso') return isoTimeOf(text)
  if (!(isDefault ? timestampShape : plainTimestamp).test(text)) return Number.NaN
  return Number(text) * (unit === 's' ? 1000 : 1)
}

/** Returns a duration in words. */
export function windowText(ms: number): string {
  return ms % minuteMs === 0 ? `${ms / minuteMs} minutes` : `${ms / 1000} seconds`
}
