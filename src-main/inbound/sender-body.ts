import { valuesOf } from '#main/signing/places.ts'
import type { PreparedTemplate } from '#main/signing/prepare-sender.ts'
import { type InboundErrorCodeOf, inboundErrors } from '#shared/errors/inbound.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { valueAt } from '#shared/json/value-at.ts'
import { maxEventNameCharacters } from '#shared/model/inbound-event.ts'
import { dataAt, rootOf } from '#shared/model/sender/reading.ts'
import {
  type DataSource,
  type EventNameSource,
  type NamePlace,
  namePlacesOf,
} from '#shared/model/sender/sender-template.ts'
import type { Scheme } from '#shared/model/sender/templates.ts'
import { parsePath, pathText } from '#shared/model/variable-path.ts'
import { encodingProblem, InvalidJson, isEventName, nothing, readJson } from './body.ts'

type BodyProblem = { readonly code: InboundErrorCodeOf<'body'>; readonly detail: string }

/** The contents of a signed body. Each part has a problem or null beside its value. */
export type SenderBody = {
  /** Whether it was read as form fields. */
  readonly isForm: boolean
  /** Whether it has no event, and its connection accepts that. It has no problem then. */
  readonly isEmpty: boolean
  readonly json: { readonly problem: BodyProblem | null; readonly root: unknown }
  readonly eventName: { readonly problem: BodyProblem | null; readonly value: string }
  readonly data: { readonly problem: BodyProblem | null; readonly value: Record<string, unknown> }
}

const formType = /^application\/x-www-form-urlencoded *(?:;|$)/i

/** Forms of providers have a few dozen fields. To decode each takes several times as long as a field of JSON. */
export const maxFormFields = 1000

/** Stands for the value of a form that is not decoded. */
const tooManyFields = Symbol('too many fields')

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

/** Matches what begins as JSON or XML, perhaps in another encoding. Forms write these characters with a percent sign. */
const documentStart = /^[\s\0\ufeff]*[{["<]/

/** Reads the name and the data of an event where its sender has them. Never throws. */
export function readSenderBody(
  { template, readsForms }: Pick<PreparedTemplate, 'template' | 'readsForms'>,
  rawHeaders: readonly string[],
  body: Buffer,
): SenderBody {
  const { root: read, isForm } = readRoot(readsForms, rawHeaders, body)
  const isRead = !(read instanceof InvalidJson) && read !== tooManyFields
  const problem = problemOfRoot(read)
  const root = isRead ? read : undefined
  const eventName = readName(template.eventName, rawHeaders, root)
  return {
    isForm,
    isEmpty: template.empty === 'accept' && isRead && eventName.problem?.code === 'missing_event',
    json: { problem, root },
    eventName,
    data: readData(template.data, root),
  }
}

/**
 * Reads the value of a body. No signature covers Content-Type, so it never decides what signed bytes mean: JSON is JSON
 * whatever it says, and what is neither JSON nor form fields stays invalid.
 */
function readRoot(readsForms: boolean, rawHeaders: readonly string[], body: Buffer) {
  const problem = encodingProblem(body)
  if (problem !== null) return { root: new InvalidJson(problem), isForm: false }
  const text = body.toString('utf8')
  const root = readJson(text)
  // JSON that is nested too deep is JSON, too, and so is what only other parsers read.
  const isJson = !(root instanceof InvalidJson) || root.isTooDeep || documentStart.test(text)
  if (isJson || !readsForms || !saysForm(rawHeaders)) return { root, isForm: false }
  const isTooMuch = hasMoreFields(text, maxFormFields)
  return { root: isTooMuch ? tooManyFields : rootOf(text, true, readPayload), isForm: true }
}

function problemOfRoot(read: unknown): BodyProblem | null {
  if (read === tooManyFields)
    return { code: 'too_many_fields', detail: inboundErrors.too_many_fields.message }
  return read instanceof InvalidJson ? { code: 'invalid_json', detail: read.detail } : null
}

function saysForm(rawHeaders: readonly string[]): boolean {
  return formType.test(valuesOf(rawHeaders, 'content-type')[0] ?? '')
}

/** Parses the form field `payload`, which may hold any text. Returns undefined for one that is not JSON. */
function readPayload(text: string): unknown {
  const read = readJson(text)
  return read instanceof InvalidJson && !read.isTooDeep ? undefined : read
}

/** Returns the first problem of a body; null for an event, and for an accepted body without one. */
export function bodyProblemOf({ isEmpty, json, eventName, data }: SenderBody): BodyProblem | null {
  return isEmpty ? null : (json.problem ?? eventName.problem ?? data.problem)
}

/** The maximum length of Slack's challenges, which have about 60 characters. */
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

/** Reads the name from the first place that has one. */
function readName(
  source: EventNameSource,
  rawHeaders: readonly string[],
  root: unknown,
): SenderBody['eventName'] {
  let first: SenderBody['eventName'] | null = null
  for (const place of namePlacesOf(source)) {
    const read = readNameAt(place, rawHeaders, root)
    if (read.problem?.code !== 'missing_event') return read
    first ??= read
  }
  return (
    first ?? { problem: { code: 'missing_event', detail: inboundErrors.missing_event.message }, value: '' }
  )
}

function readNameAt(place: NamePlace, rawHeaders: readonly string[], root: unknown): SenderBody['eventName'] {
  if ('constant' in place) return { problem: null, value: place.constant }
  const problem = 'path' in place ? listProblem(place.path, root) : null
  if (problem !== null) return { problem, value: '' }
  const values =
    'header' in place
      ? valuesOf(rawHeaders, place.header.toLowerCase())
      : 'path' in place
        ? [dataAt(place, root)]
        : 'present' in place
          ? place.present.filter(path => dataAt({ path }, root) !== undefined).slice(0, 1)
          : []
  const [value] = values
  const where = placeText(place)
  if (value === undefined || value === null) {
    const detail = `The ${where}, which has the name of the event, is missing.`
    return { problem: { code: 'missing_event', detail }, value: '' }
  }
  if (values.length === 1 && typeof value === 'string' && isEventName(value)) return { problem: null, value }
  const detail = `The ${where}, which has the name of the event, must be a text of 1 to ${maxEventNameCharacters} characters.`
  return { problem: { code: 'invalid_event', detail }, value: '' }
}

function placeText(place: NamePlace): string {
  if ('header' in place) return `header ${place.header.toLowerCase()}`
  if ('path' in place) return `field ${place.path}`
  return 'query' in place ? `query parameter ${place.query}` : 'field'
}

const pathOf = (source: Exclude<DataSource, 'body'>) => ('path' in source ? source.path : source.items)

/** Reads data from the JSON value of a body. Absent data is an empty object. */
function readData(source: DataSource, root: unknown): SenderBody['data'] {
  const problem = source === 'body' ? null : listProblem(pathOf(source), root)
  if (problem !== null) return { problem, value: nothing }
  const value = dataAt(source, root)
  if (isObject(value)) return { problem: null, value }
  if (source !== 'body' && (value === undefined || value === null)) return { problem: null, value: nothing }
  const what = source === 'body' ? 'body' : `field ${pathOf(source)}`
  const detail = Array.isArray(value)
    ? `The ${what} is ${listText(value)}, and lists of events are not taken yet. It must be a JSON object.`
    : `The ${what} must be a JSON object.`
  return { problem: { code: 'invalid_data', detail }, value: nothing }
}

/** Returns the problem of a path that takes one item of several, because the others would be lost; null for other paths. */
function listProblem(path: string, root: unknown): BodyProblem | null {
  const steps = parsePath(path) ?? []
  for (const [index] of steps.entries()) {
    const list = valueAt(root, steps.slice(0, index))
    if (!Array.isArray(list) || list.length < 2) continue
    const where = index === 0 ? 'The body' : `The field ${pathText(steps.slice(0, index))}`
    const detail = `${where} is ${listText(list)}, and ${path} takes one of them. Lists of events are not taken yet: send each on its own.`
    return { code: 'invalid_data', detail }
  }
  return null
}

const listText = ({ length }: readonly unknown[]) => `a list of ${length} ${length === 1 ? 'item' : 'items'}`
