import { isUtf8 } from 'node:buffer'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { isExactNumber, parseExact } from '#shared/json/exact-json.ts'
import { EventName } from '#shared/model/inbound-event.ts'

/** Levels of nesting accepted; deeper JSON is 400 (decisions: depth). */
export const maxDepth = 1000

export type ParsedBody = {
  readonly ok: true
  readonly eventName: string
  /** Own fields only, in the sender's order; numbers keep their digits. */
  readonly data: Record<string, unknown>
  readonly bodyText: string
}
export type BodyRefusal = { readonly ok: false; readonly code: InboundErrorCode; readonly detail?: string }

const nothing: Record<string, unknown> = Object.freeze({})

/** Reads `{event, data?}` out of the raw body (specification: Inbound event request body). Never throws. */
export function parseBody(body: Buffer): ParsedBody | BodyRefusal {
  if (!isUtf8(body)) return refuse('invalid_json', describeEncoding(body) ?? 'The body is not valid UTF-8.')
  const bodyText = body.toString('utf8')
  if (isTooDeep(bodyText)) return refuse('invalid_json', `The body is nested deeper than ${maxDepth} levels.`)
  let root: unknown
  try {
    root = parseExact(bodyText)
  } catch {
    return refuse('invalid_json', describeSyntax(body))
  }
  if (!isObject(root)) return refuse('missing_event')
  const { event: eventName, data } = root
  if (eventName === undefined) return refuse('missing_event')
  if (typeof eventName !== 'string' || !isEventName(eventName)) return refuse('invalid_event')
  if (data === undefined || data === null) return { ok: true, eventName, data: nothing, bodyText }
  if (!isObject(data)) return refuse('invalid_data')
  return { ok: true, eventName, data, bodyText }
}

function refuse(code: InboundErrorCode, detail?: string): BodyRefusal {
  return detail === undefined ? { ok: false, code } : { ok: false, code, detail }
}

/** JSON objects only: an array is none, and a number kept as raw JSON is a number. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

function isEventName(text: string): boolean {
  // Nearly every name is short: the schema, which counts code points, is asked about the others only.
  return text.length > 0 && (text.length <= 200 || EventName.safeParse(text).success)
}

const quote = 0x22
const backslash = 0x5c

/**
 * Counts open brackets outside strings. A text of n characters is nested at most n/2 deep, so most need no count.
 * Reading a string takes a ninth of the time that reading its bytes does.
 */
function isTooDeep(bodyText: string): boolean {
  if (bodyText.length <= 2 * maxDepth) return false
  let depth = 0
  let inString = false
  for (let index = 0; index < bodyText.length; index++) {
    const code = bodyText.charCodeAt(index)
    if (inString) {
      if (code === backslash) index++
      else if (code === quote) inString = false
    } else if (code === quote) inString = true
    // `[` and `{` differ in the bit 0x20, and so do `]` and `}`.
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

function describeSyntax(body: Buffer): string {
  if (body.length === 0) return 'The body is empty.'
  return describeEncoding(body) ?? 'The body is not valid JSON.'
}

function describeEncoding(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    return 'The body begins with a byte order mark (BOM); send UTF-8 without it.'
  const utf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
  const zeroInPair = body.length >= 2 && (body[0] === 0) !== (body[1] === 0)
  return utf16 || zeroInPair ? 'The body is encoded as UTF-16; send UTF-8.' : null
}
