import { isUtf8 } from 'node:buffer'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { maxDepth } from '#shared/json/depth.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { isNestedDeeper } from '#shared/json/json-depth.ts'
import { EventName } from '#shared/model/inbound-event.ts'

export type ParsedBody = {
  readonly ok: true
  readonly eventName: string
  /** Own fields only, in the sender's order; numbers keep their digits. */
  readonly data: Record<string, unknown>
  readonly bodyText: string
}
export type BodyRefusal = { readonly ok: false; readonly code: InboundErrorCode; readonly detail?: string }

/** The data of an event without any. */
export const nothing: Record<string, unknown> = Object.freeze({})

/** Parses `{event, data?}` from the raw body. Never throws. */
export function parseBody(body: Buffer): ParsedBody | BodyRefusal {
  const problem = encodingProblem(body)
  return problem === null ? parseBodyText(body.toString('utf8')) : refuse('invalid_json', problem)
}

/** Parses a body that was decoded before, such as that of a stored event. Never throws. */
export function parseBodyText(bodyText: string): ParsedBody | BodyRefusal {
  const root = readJson(bodyText)
  if (root instanceof InvalidJson) return refuse('invalid_json', root.detail)
  if (!isObject(root)) return refuse('missing_event')
  const { event: eventName, data } = root
  if (eventName === undefined) return refuse('missing_event')
  if (typeof eventName !== 'string' || !isEventName(eventName)) return refuse('invalid_event')
  if (data === undefined || data === null) return { ok: true, eventName, data: nothing, bodyText }
  if (!isObject(data)) return refuse('invalid_data')
  return { ok: true, eventName, data, bodyText }
}

/** Why a text was not read as JSON. */
export class InvalidJson {
  readonly detail: string
  readonly isTooDeep: boolean

  constructor(detail: string, isTooDeep = false) {
    this.detail = detail
    this.isTooDeep = isTooDeep
  }
}

/** Parses a JSON text of limited depth, with exact numbers. Never throws. */
export function readJson(text: string): unknown {
  if (isNestedDeeper(text, maxDepth))
    return new InvalidJson(`The body is nested deeper than ${maxDepth} levels.`, true)
  try {
    return parseExact(text)
  } catch {
    return new InvalidJson(describeSyntax(Buffer.from(text)))
  }
}

/** Parses a text inside a body, which may be any. Returns undefined for one that is not JSON. Never throws. */
export function readInnerJson(text: string): unknown {
  const read = readJson(text)
  return read instanceof InvalidJson && !read.isTooDeep ? undefined : read
}

/** Returns why a body cannot be decoded; null for UTF-8. */
export function encodingProblem(body: Buffer): string | null {
  return isUtf8(body) ? null : (describeEncoding(body) ?? 'The body is not valid UTF-8.')
}

function refuse(code: InboundErrorCode, detail?: string): BodyRefusal {
  return detail === undefined ? { ok: false, code } : { ok: false, code, detail }
}

/** Returns whether a text can be the name of an event. */
export function isEventName(text: string): boolean {
  // The schema counts code points, so only the rare long names need it.
  return text.length > 0 && (text.length <= 200 || EventName.safeParse(text).success)
}

function describeSyntax(body: Buffer): string {
  if (body.length === 0) return 'The body is empty.'
  return describeEncoding(body) ?? 'The body is not valid JSON.'
}

function describeEncoding(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    return 'The body begins with a byte order mark (BOM). Send UTF-8 without it.'
  const utf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
  const zeroInPair = body.length >= 2 && (body[0] === 0) !== (body[1] === 0)
  return utf16 || zeroInPair ? 'The body is encoded as UTF-16. Send UTF-8.' : null
}
