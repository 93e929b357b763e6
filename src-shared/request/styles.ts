import { isObject, numberText } from '../json/exact-json.ts'
import { decimal } from '../model/action-url.ts'
import type { ParameterStyle } from '../model/parameter.ts'

/** A field of a query or a form: its name, and its texts with what stands between them. Nothing is encoded yet. */
export type Field = { readonly name: string; readonly texts: readonly string[]; readonly separator: string }

/** A value that cannot be sent. `message` is read after the name of its parameter. */
export class Unwritable extends Error {}

type Style = {
  /** Null for a style that has no way to write a list. */
  readonly list: ((name: string, list: readonly unknown[]) => Field[]) | null
  readonly object: ((name: string, object: Readonly<Record<string, unknown>>) => Field[]) | null
}

/** The most characters of a written value: names repeat with each nested part, so they can be far longer than the value. */
export const maxWritten = 16 * 1024 * 1024

/** Characters that a field takes beside its texts. */
const perField = 16

/** Returns about how many characters fields take once they are written. */
export function sizeOf(fields: readonly Field[]): number {
  let size = 0
  for (const { name, texts } of fields) {
    size += name.length + perField
    for (const text of texts) size += text.length
  }
  return size
}

/** How lists and objects are written. */
export const styles: Readonly<Record<ParameterStyle, Style>> = {
  repeat: { list: (name, list) => each(name, list), object: null },
  comma: joined(','),
  space: joined(' '),
  pipe: joined('|'),
  brackets: { list: (name, list) => each(`${name}[]`, list), object: null },
  indexed: { list: nested, object: null },
  fields: {
    list: null,
    object: (_name, object) => Object.entries(object).map(([key, one]) => field(checkedKey(key), plain(one))),
  },
  deep: { list: null, object: nested },
  json: {
    list: (name, list) => [field(name, JSON.stringify(list))],
    object: (name, object) => [field(name, JSON.stringify(object))],
  },
}

/** Returns the fields of a single value: a text, a number, true or false. */
export function single(name: string, value: unknown): Field[] {
  return [field(name, plain(value))]
}

function each(name: string, list: readonly unknown[]): Field[] {
  if (list.length * (name.length + perField) > maxWritten)
    throw new Unwritable('is too large once it is written.')
  return list.map(one => field(name, plain(one)))
}

function field(name: string, text: string): Field {
  return { name, texts: [text], separator: '' }
}

/** Returns a style that writes all elements, or keys and values in turn, in one field. */
function joined(separator: string): Style {
  const texts = (values: readonly unknown[]) => {
    const written = values.map(plain)
    // An encoded space looks like the separator.
    if (separator === ' ' && written.some(text => text.includes(' ')))
      throw new Unwritable('has a space in one of its values, which separates them here.')
    return written
  }
  const one = (name: string, values: readonly unknown[]) =>
    values.length === 0 ? [] : [{ name, texts: texts(values), separator }]
  return { list: one, object: (name, object) => one(name, Object.entries(object).flat()) }
}

/** Writes a list by index and an object by key, as deep as they are: `a[0][b]`. */
function nested(name: string, value: unknown): Field[] {
  const fields: Field[] = []
  let written = 0
  const add = (path: string, part: unknown): void => {
    if (Array.isArray(part)) for (const [index, one] of part.entries()) add(`${path}[${index}]`, one)
    else if (isObject(part))
      for (const [key, one] of Object.entries(part)) add(`${path}[${checkedKey(key)}]`, one)
    else {
      const text = plain(part)
      written += path.length + text.length + perField
      if (written > maxWritten) throw new Unwritable('is too large once it is written.')
      fields.push(field(path, text))
    }
  }
  add(name, value)
  return fields
}

function checkedKey(key: string): string {
  if (key === '' || /[[\]]/.test(key))
    throw new Unwritable('has a key that is empty or has a bracket, which cannot be sent here.')
  return key
}

/** Returns a single value as a text. Null is empty, as an empty text is. */
function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return String(value)
  const number = numberText(value)
  if (number === null) throw new Unwritable('has a list or an object inside, which cannot be written here.')
  return decimal(number)
}
