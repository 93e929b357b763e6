import { isObject } from '../json/exact-json.ts'
import { encodeText } from '../model/action-url.ts'
import { ParameterStyle, type SentParameter, wireNameOf } from '../model/parameter.ts'
import { type Field, single, styles, Unwritable } from './styles.ts'

/** A place of a request in which a value is written as text. */
type Place = {
  readonly list: ParameterStyle
  readonly object: ParameterStyle
  /** The styles that can be read there. */
  readonly takes: readonly ParameterStyle[]
}

const inOneText: readonly ParameterStyle[] = ['comma', 'fields', 'json']

/** The default styles of each place where a value is written as text. */
export const places: Readonly<Record<'path' | 'query' | 'header' | 'form', Place>> = {
  path: { list: 'comma', object: 'comma', takes: ['space', 'pipe', ...inOneText] },
  query: { list: 'repeat', object: 'json', takes: ParameterStyle.options },
  header: { list: 'comma', object: 'comma', takes: inOneText },
  form: { list: 'repeat', object: 'deep', takes: ParameterStyle.options },
}

/** Returns the fields of a parameter's value in a place. @throws Unwritable. */
export function fieldsOf(parameter: SentParameter, value: unknown, where: keyof typeof places): Field[] {
  const name = wireNameOf(parameter)
  const place = places[where]
  const { style } = parameter
  if (Array.isArray(value)) {
    const write = styles[style === 'deep' ? 'indexed' : (style ?? place.list)].list ?? styles[place.list].list
    return write?.(name, value) ?? []
  }
  if (!isObject(value)) return single(name, value)
  const write =
    styles[style === 'indexed' ? 'deep' : (style ?? place.object)].object ?? styles[place.object].object
  return write?.(name, value) ?? []
}

/** Returns fields as they are in a query or a form: `a=1&b=2`. */
export function encodedFields(fields: readonly Field[]): string {
  return fields.map(({ name, ...rest }) => `${encodeText(name)}=${encodedTexts(rest)}`).join('&')
}

/** Returns a value for a path: its special characters are percent-encoded, so it stays within its segment. @throws Unwritable. */
export function pathText(parameter: SentParameter, value: unknown): string {
  const fields = fieldsOf(parameter, value, 'path')
  const text = isNamed(parameter, value)
    ? fields.map(({ name, texts }) => `${encodeText(name)}=${encodeText(texts.join(''))}`).join(',')
    : fields.map(encodedTexts).join(',')
  if (text === '') throw new Unwritable('must not be empty: it is a part of the path.')
  if (fields.some(({ name, texts }) => !(name.isWellFormed() && texts.every(one => one.isWellFormed()))))
    throw new Unwritable('must be valid Unicode: it is a part of the path.')
  return text
}

/** Returns a value for a header; null for an empty list or object. @throws Unwritable for what a header cannot carry. */
export function headerText(parameter: SentParameter, value: unknown): string | null {
  const fields = fieldsOf(parameter, value, 'header')
  if (fields.length === 0) return null
  const isOne = !Array.isArray(value) && !isObject(value)
  const parts = isNamed(parameter, value)
    ? fields.map(({ name, texts }) => `${name}=${texts.join('')}`)
    : fields.flatMap(({ texts }) => texts)
  const isJson = parameter.style === 'json'
  for (const part of parts) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(part))
      throw new Unwritable('contains a character that a header cannot carry.')
    if (part !== part.trim()) throw new Unwritable('begins or ends with a space, which a header loses.')
    if (!isOne && !isJson && part.includes(','))
      throw new Unwritable('has a comma in one of its values, which separates them here.')
  }
  return parts.join(',')
}

const isNamed = ({ style }: SentParameter, value: unknown) => style === 'fields' && isObject(value)

/** Returns the texts of a field, each percent-encoded, with plain separators. */
function encodedTexts({ texts, separator }: Omit<Field, 'name'>): string {
  return texts.map(encodeText).join(separator === ' ' ? '%20' : separator)
}
