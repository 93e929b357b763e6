import { isUtf8 } from 'node:buffer'
import { maxDepth } from '#shared/json/depth.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { isBeyond } from '#shared/json/json-depth.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { headerValues } from '#shared/model/call.ts'
import { isOfAnswer, mappedValue, parseDotPath } from '#shared/model/response-mapping.ts'
import type { RawAnswer } from './exchange.ts'

type ResponseMapping = NonNullable<ActionFields['responseMapping']>

/** A compiled responseMapping: its aliases, and the steps of their paths. */
type Mapping = readonly { readonly alias: string; readonly steps: readonly string[] | null }[]

const compiled = new WeakMap<ResponseMapping, Mapping>()

function compile(mapping: ResponseMapping): Mapping {
  const kept = compiled.get(mapping)
  if (kept !== undefined) return kept
  const made = Object.entries(mapping).map(([alias, path]) => ({ alias, steps: parseDotPath(path) }))
  compiled.set(mapping, made)
  return made
}

/**
 * JSON with more values is passed on as text too. 5 MiB can contain 1,700,000 values, and each costs the listener's
 * thread about 2 microseconds to parse, mask and write.
 */
const maxValues = 250_000

const binaryNote = 'The body is not text; this is its base64.'
const unknownNote = 'The body has an unknown Content-Encoding, so it was read as it is.'

/**
 * Reads a response: JSON by its content, whatever its Content-Type; text in its charset. The result is the JSON with
 * exact numbers, or `{ result: text }` for anything else.
 *
 * @param body without content encodings. @param mapping immutable: it is compiled once.
 * @param isUnknown whether the body has an unknown encoding. It gets a note.
 */
export function readResponse(
  { status, headers, repeatedHeaders }: Omit<RawAnswer, 'body'>,
  body: Buffer,
  mapping: ResponseMapping | null,
  isUnknown = false,
) {
  const bytes = body.length
  const noted = isUnknown ? { note: unknownNote } : {}
  const head = { status, headers, ...(repeatedHeaders && { repeatedHeaders }) }
  const mappedOf = (result: unknown, isJson: boolean) =>
    is2xx(status) && mapping !== null ? map({ ...head, body: result }, compile(mapping), isJson) : null
  const text = decodeText(body, headers['content-type'])
  if (text === null) {
    const base64 = body.toString('base64')
    const response = { ...head, body: base64, bytes, ...noted }
    const note = isUnknown ? `${binaryNote} ${unknownNote}` : binaryNote
    const result = { result: base64, note }
    return { response, result, mapped: mappedOf(result, false) }
  }
  const response = { ...head, body: text, bytes, ...noted }
  const json = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text)
  const result = json === null ? { result: text } : json.value
  return { response, result, mapped: mappedOf(result, json !== null) }
}

export function is2xx(status: number): boolean {
  return status >= 200 && status < 300
}

/** Parses JSON. Returns null if the text is not JSON. The value is boxed, because null is JSON too. */
function parseJson(text: string): { readonly value: unknown } | null {
  // Avoids an exception for HTML.
  const isJsonLike = /^\s*["[{\-\dtfn]/.test(text)
  if (!isJsonLike || isBeyond(text, { levels: maxDepth, values: maxValues })) return null
  try {
    return { value: parseExact(text) }
  } catch {
    return null
  }
}

/**
 * Returns each alias with the value at its path; null if the path does not exist. A body that is not JSON is mapped only
 * together with the status or a header.
 */
function map(
  { body, ...head }: Omit<RawAnswer, 'body'> & { readonly body: unknown },
  mapping: Mapping,
  isJson: boolean,
): Record<string, unknown> | null {
  if (!isJson && !mapping.some(({ steps }) => steps !== null && isOfAnswer(steps))) return null
  const answer = { status: head.status, headers: headerValues(head), body }
  return Object.fromEntries(
    mapping.map(({ alias, steps }) => [alias, steps === null ? null : (mappedValue(steps, answer) ?? null)]),
  )
}

/** Media types that are binary, whatever charset they declare. */
const binaryType =
  /^\s*(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip)\b)/i
const charsetParameter = /;\s*charset\s*=\s*["']?([^\s;"']+)/i

/**
 * Decodes a body as text: by its byte order mark, else by the charset in its Content-Type, else as UTF-8. Keeps the byte
 * order mark of UTF-8. Returns null if the body is binary or not in its declared encoding.
 */
export function decodeText(body: Buffer, contentType: string | undefined): string | null {
  const charset = charsetOf(body, contentType ?? '')
  if (charset === 'utf-8') return isUtf8(body) ? body.toString('utf8') : null
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch {
    return null
  }
}

/** Returns the name of an encoding for TextDecoder. */
function charsetOf(body: Buffer, contentType: string): string {
  const [first, second, third] = body
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (binaryType.test(contentType)) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const [, declared] = charsetParameter.exec(contentType) ?? []
  try {
    return new TextDecoder(declared).encoding
  } catch {
    // Ignores an unknown charset.
    return 'utf-8'
  }
}
