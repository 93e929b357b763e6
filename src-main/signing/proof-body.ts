import { isUtf8 } from 'node:buffer'
import { numberText, tryParseExact } from '#shared/json/exact-json.ts'
import { isBeyond } from '#shared/json/json-depth.ts'
import { valueAt } from '#shared/json/value-at.ts'

/** The fields of a form, in their order. */
type Fields = readonly (readonly [name: string, value: string])[]

/** A body that was read to find a proof in it. Nothing of it is trusted yet. */
export type ProofBody = {
  readonly bytes: Buffer
  /** Its JSON value, or the fields of a form; undefined if it is neither. Read once, at the first call. */
  readonly root: () => unknown
  /** Its form fields; null if it is not a form. */
  readonly fields: () => Fields | null
}

/** Levels of a body in which a proof is looked for. Nobody has signed it yet. */
const maxProofDepth = 64
/** Values of a body in which a proof is looked for: in 1 MiB, there is room for so many that parsing takes 100 ms. */
const maxProofValues = 20_000
/** Fields of a form that are decoded. */
const maxFields = 1000

/** Matches what begins as JSON or XML, perhaps in another encoding. Forms write these characters with a percent sign. */
export const documentStart = /^[\s\0\ufeff]*[{["<]/

/** Returns a body to find a proof in. Never throws, and reads nothing yet. */
export function proofBodyOf(bytes: Buffer): ProofBody {
  let fields: Fields | null | undefined
  let root: { readonly value: unknown } | undefined
  const body: ProofBody = {
    bytes,
    fields() {
      fields ??= readFields(bytes)
      return fields
    },
    root() {
      root ??= { value: readJson(bytes) ?? objectOf(body.fields()) }
      return root.value
    },
  }
  return body
}

function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  const bounds = { levels: maxProofDepth, values: maxProofValues }
  return isBeyond(text, bounds) ? undefined : tryParseExact(text)
}

function readFields(bytes: Buffer): Fields | null {
  if (!isUtf8(bytes)) return null
  const text = bytes.toString('utf8')
  if (documentStart.test(text)) return null
  let separators = 0
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++separators >= maxFields) return null
  return [...new URLSearchParams(text)]
}

const objectOf = (fields: Fields | null) =>
  fields === null || fields.length === 0 ? undefined : Object.fromEntries(fields)

/** Returns the text of a field, with the digits of a number as they were sent; undefined for none and for what has no text. */
export function fieldText(root: unknown, path: readonly string[]): string | undefined {
  const value = valueAt(root, path)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return numberText(value) ?? undefined
}

/** Returns the form fields sorted by name, each name joined with its value, as Twilio signs them. */
export function sortedFormOf(fields: Fields): string {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of fields) {
    const known = values.get(name)
    if (known === undefined) values.set(name, new Set([value]))
    else known.add(value)
  }
  return [...values.keys()]
    .toSorted()
    .flatMap(name => [...(values.get(name) ?? [])].toSorted().map(value => name + value))
    .join('')
}

const notAscii = /[^\0-\x7f]/

/** Returns the bytes of a text as one character each, as Node reads header fields. */
export function byteText(text: string): string {
  return notAscii.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}
