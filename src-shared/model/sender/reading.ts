import { isObject, tryParseExact } from '../../json/exact-json.ts'
import { valueAt } from '../../json/value-at.ts'
import { parsePath } from '../variable-path.ts'
import type { DataSource } from './sender-template.ts'

// Globals of Node and of browsers.
declare const URLSearchParams: new (text: string) => Iterable<[name: string, value: string]>
declare const atob: (base64: string) => string
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean },
) => { decode(bytes: Uint8Array): string }

/** Where the data of an event is in its body, whether the body is form fields, and whether data in a text is decoded. */
type BodyReading = { readonly data: DataSource; readonly form?: true; readonly decodes?: true }

/** An event with its body as sent; `reading` is missing for a body that is `{event, data}`. */
type Readable = {
  readonly eventName: string
  readonly bodyText: string
  readonly reading?: string | undefined
}

/**
 * Returns how to read a body, as the text that its event keeps, so that it outlives a change of the scheme.
 *
 * @param decodes see WrittenTemplate.
 */
export function readingOf(data: DataSource, isForm: boolean, decodes = false): string {
  const reading: BodyReading = { data, ...(isForm && { form: true }), ...(decodes && { decodes: true }) }
  return JSON.stringify(reading)
}

/** The reading of an event whose body is its data: an item of a list. */
export const wholeBody = readingOf('body', false)

/**
 * Returns the JSON value of a body. Form fields are an object of texts; a field `payload` that holds a JSON object is
 * the body instead, as GitHub and Slack send it.
 *
 * @param parse returns the value of a JSON text, or what stands for an invalid one.
 */
export function rootOf(bodyText: string, isForm: boolean, parse: (text: string) => unknown): unknown {
  if (!isForm) return parse(bodyText)
  const fields = Object.fromEntries(new URLSearchParams(bodyText))
  const payload = Object.hasOwn(fields, 'payload') ? parse(fields.payload ?? '') : undefined
  return isObject(payload) ? payload : fields
}

/** Returns what is at a source in the JSON value of a body; undefined for nothing. */
export function dataAt(source: DataSource, root: unknown): unknown {
  if (source === 'body' || ('items' in source && source.items === 'body')) return root
  return valueAt(root, parsePath('path' in source ? source.path : source.items) ?? [''])
}

/**
 * Returns the data of an event whose provider puts it into a text: the JSON object in it, also in base64, or the whole
 * body where it holds another text. Data that is not a text is returned as it is.
 *
 * @param parse as for `rootOf`.
 */
export function decodedData(data: unknown, root: unknown, parse: (text: string) => unknown): unknown {
  if (typeof data !== 'string') return data
  const read = parse(data)
  if (isObject(read)) return read
  const decoded = base64.test(data) ? parse(fromBase64(data)) : undefined
  return isObject(decoded) ? decoded : root
}

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** Returns a text in base64; an empty one if it is not UTF-8. */
function fromBase64(text: string): string {
  try {
    const bytes = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, one => one.charCodeAt(0)))
  } catch {
    return ''
  }
}

/**
 * Returns an event as `{event, data}`, whatever its sender's scheme: all readers of data use this text. It is the body
 * itself for the default scheme. Data that is the whole body keeps its spelling. An unreadable body yields no JSON.
 */
export function eventTextOf({ eventName, bodyText, reading }: Readable): string {
  if (reading === undefined) return bodyText
  const read = parseReading(reading)
  if (read === null) return ''
  const isForm = read.form === true
  const textOfData = () => {
    if (read.data === 'body' && !isForm) return bodyText
    const root = rootOf(bodyText, isForm, tryParseExact)
    if (root === undefined) return ''
    const found = dataAt(read.data, root)
    const data = read.decodes === true ? decodedData(found, root, tryParseExact) : found
    return isObject(data) ? JSON.stringify(data) : '{}'
  }
  return textOfEvent(eventName, textOfData())
}

const textOfEvent = (eventName: string, dataText: string) =>
  `{"event":${JSON.stringify(eventName)},"data":${dataText}}`

/** Returns the same text of an event whose data is known, without parsing the body again. */
export function eventTextWith(event: Readable, data: Readonly<Record<string, unknown>>): string {
  const { eventName, bodyText, reading } = event
  if (reading === undefined) return bodyText
  const read = parseReading(reading)
  if (read === null) return ''
  const isWholeBody = read.data === 'body' && read.form !== true
  return textOfEvent(eventName, isWholeBody ? bodyText : JSON.stringify(data))
}

/** Returns a reading that was kept as text; null for a damaged one. By hand, because SQLite's threads do not load zod. */
function parseReading(text: string): BodyReading | null {
  const read = tryParseExact(text)
  if (!isObject(read)) return null
  const { data, form, decodes } = read
  const path = isObject(data) && typeof data.path === 'string' ? data.path : null
  if (data !== 'body' && path === null) return null
  return {
    data: path === null ? 'body' : { path },
    ...(form === true && { form }),
    ...(decodes === true && { decodes }),
  }
}
