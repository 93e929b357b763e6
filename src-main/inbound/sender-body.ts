import { valuesOf } from '#main/signing/read-sender.ts'
import { type InboundErrorCodeOf, inboundErrors } from '#shared/errors/inbound.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { maxEventNameCharacters } from '#shared/model/inbound-event.ts'
import { dataAt, rootOf } from '#shared/model/sender/reading.ts'
import type { DataSource, EventNameSource } from '#shared/model/sender/sender-template.ts'
import type { Scheme } from '#shared/model/sender/templates.ts'
import { encodingProblem, InvalidJson, isEventName, nothing, readJson } from './body.ts'

type BodyFault = { readonly code: InboundErrorCodeOf<'body'>; readonly detail: string }

/** What a signed body says. Each part has a fault or null beside what it found. */
export type SenderBody = {
  readonly json: { readonly fault: BodyFault | null; readonly root: unknown }
  readonly eventName: { readonly fault: BodyFault | null; readonly value: string }
  readonly data: { readonly fault: BodyFault | null; readonly value: Record<string, unknown> }
}

const formType = /^application\/x-www-form-urlencoded *(?:;|$)/i

/** Forms of providers have a few dozen fields. To decode each takes several times as long as a field of JSON. */
export const maxFormFields = 1000

const tooMany = inboundErrors.too_many_fields.message

/** Returns whether a form has more than `most` fields, without decoding it. Empty ones do not count. */
function hasMoreFields(form: string, most: number): boolean {
  let count = 0
  for (let from = 0; from < form.length; ) {
    const next = form.indexOf('&', from)
    const end = next === -1 ? form.length : next
    if (end > from && ++count > most) return true
    from = end + 1
  }
  return false
}

/** Returns whether a request has a body of form fields. */
export function isForm(rawHeaders: readonly string[]): boolean {
  return formType.test(valuesOf(rawHeaders, 'content-type')[0] ?? '')
}

/** Reads the name and the data of an event where its sender has them. Never throws. */
export function readSenderBody(
  source: { readonly eventName: EventNameSource; readonly data: DataSource },
  rawHeaders: readonly string[],
  body: Buffer,
): SenderBody {
  const problem = encodingProblem(body)
  const isFields = isForm(rawHeaders)
  const text = problem === null ? body.toString('utf8') : ''
  const hasTooMany = isFields && hasMoreFields(text, maxFormFields)
  const read =
    problem !== null
      ? new InvalidJson(problem)
      : hasTooMany
        ? undefined
        : rootOf(text, isFields, isFields ? readPayload : readJson)
  const isJson = !(read instanceof InvalidJson)
  const syntax: BodyFault | null = isJson ? null : { code: 'invalid_json', detail: read.detail }
  const fault: BodyFault | null = hasTooMany ? { code: 'too_many_fields', detail: tooMany } : syntax
  const root = isJson ? read : undefined
  return {
    json: { fault, root },
    eventName: readName(source.eventName, rawHeaders, root),
    data: readData(source.data, root),
  }
}

/** Parses the form field `payload`, which may hold any text. Returns undefined for one that is not JSON. */
function readPayload(text: string): unknown {
  const read = readJson(text)
  return read instanceof InvalidJson && !read.isTooDeep ? undefined : read
}

/** Returns the first fault of a body; null for an event. */
export function bodyFaultOf({ json, eventName, data }: SenderBody): BodyFault | null {
  return json.fault ?? eventName.fault ?? data.fault
}

/** Of Slack's challenges, which have about 60 characters. */
const maxChallenge = 1000

/**
 * Returns the challenge of Slack's `url_verification`, which is sent once when somebody enters the URL there; null for
 * any other body. The signature must have been verified.
 */
export function challengeOf(scheme: Scheme, { json: { root } }: SenderBody): string | null {
  if (scheme !== 'slack' || !isObject(root) || root.type !== 'url_verification') return null
  const { challenge } = root
  return typeof challenge === 'string' && challenge.length <= maxChallenge ? challenge : null
}

function readName(
  source: EventNameSource,
  rawHeaders: readonly string[],
  root: unknown,
): SenderBody['eventName'] {
  const isHeader = 'header' in source
  const values = isHeader ? valuesOf(rawHeaders, source.header.toLowerCase()) : [dataAt(source, root)]
  const [value] = values
  const where = isHeader ? `header ${source.header.toLowerCase()}` : `field ${source.path}`
  if (value === undefined || value === null) {
    const detail = `The ${where}, which has the name of the event, is missing.`
    return { fault: { code: 'missing_event', detail }, value: '' }
  }
  if (values.length === 1 && typeof value === 'string' && isEventName(value)) return { fault: null, value }
  const detail = `The ${where}, which has the name of the event, must be a text of 1 to ${maxEventNameCharacters} characters.`
  return { fault: { code: 'invalid_event', detail }, value: '' }
}

/** Reads data from the JSON value of a body. Absent data is an empty object. */
function readData(source: DataSource, root: unknown): SenderBody['data'] {
  const value = dataAt(source, root)
  if (isObject(value)) return { fault: null, value }
  if (source !== 'body' && (value === undefined || value === null)) return { fault: null, value: nothing }
  const what = source === 'body' ? 'body' : `field ${source.path}`
  return { fault: { code: 'invalid_data', detail: `The ${what} must be a JSON object.` }, value: nothing }
}
