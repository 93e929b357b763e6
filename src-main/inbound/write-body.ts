import { isObject } from '#shared/json/exact-json.ts'
import type { BodyFormat } from '#shared/model/sender/sender-template.ts'

type WrittenBody = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/**
 * Writes the value of a body in the format of a scheme, so that it is read as the same value; as JSON, which is read
 * whatever the format is, where the format cannot say it.
 */
export function writeBody(format: BodyFormat, root: unknown): WrittenBody {
  const written = isObject(root) ? writers[format](root) : null
  return written ?? { headers: {}, body: JSON.stringify(root) }
}

type Fields = Readonly<Record<string, unknown>>

const writers: Readonly<Record<BodyFormat, (root: Fields) => WrittenBody | null>> = {
  json: () => null,
  form: writeForm,
  multipart: writeMultipart,
  text: ({ text, ...others }) =>
    typeof text === 'string' && Object.keys(others).length === 0
      ? { headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text }
      : null,
  xml(root) {
    const body = writeXml(root)
    return body === null ? null : { headers: { 'content-type': 'application/xml; charset=utf-8' }, body }
  },
}

/** Objects have no form of their own, other than as the field `payload`. A list is the JSON text that it is read from. */
function writeForm(root: Fields): WrittenBody {
  const isFlat = !Object.values(root).some(isObject)
  const fields = isFlat ? root : { payload: JSON.stringify(root) }
  const body = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, textOf(value)]),
  )
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: body.toString() }
}

/** Files are not sent: a text cannot hold their bytes. */
function writeMultipart(root: Fields): WrittenBody | null {
  const values = Object.entries(root).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 1
      ? value.map((one: unknown) => [name, one] as const)
      : [[name, value] as const],
  )
  if (values.some(([, value]) => isObject(value) || Array.isArray(value))) return null
  const texts = values.map(([name, value]) => [escapedName(name), textOf(value)] as const)
  let boundary = 'custom-connection'
  while (texts.some(([, text]) => text.includes(`--${boundary}`))) boundary += '-'
  const parts = texts.map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  )
  if (parts.length === 0) return null
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  }
}

const escapedName = (name: string) =>
  name
    .replace(/\\/g, '\\\\')
    .replace(/["\r\n]/g, sign => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

const xmlName = /^[\p{L}_:][\p{L}\p{N}_:.-]*$/u

/** XML has one outermost element. */
function writeXml(root: Fields): string | null {
  const [name, ...others] = Object.keys(root)
  if (name === undefined || others.length > 0 || Array.isArray(root[name])) return null
  return element(name, root[name])
}

/** Returns an element that is read as a value; null for one that XML cannot say. */
function element(name: string, value: unknown): string | null {
  if (!xmlName.test(name)) return null
  if (Array.isArray(value)) return value.length < 2 ? null : joined(value.map(one => element(name, one)))
  if (!isObject(value)) return `<${name}>${escaped(textOf(value))}</${name}>`
  let [attributes, inner] = ['', '']
  for (const [key, one] of Object.entries(value)) {
    const isAttribute = key.startsWith('@')
    const written = key === '#text' ? escaped(textOf(one)) : isAttribute ? '' : element(key, one)
    if (written === null || (isAttribute && !xmlName.test(key.slice(1)))) return null
    if (isAttribute) attributes += ` ${key.slice(1)}="${escaped(textOf(one))}"`
    inner += written
  }
  return `<${name}${attributes}>${inner}</${name}>`
}

const joined = (parts: readonly (string | null)[]) => (parts.includes(null) ? null : parts.join(''))

const textOf = (value: unknown) =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const escapes: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  ...{ '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' },
}
const escaped = (text: string) => text.replace(/[&<>"\n\r\t]/g, sign => escapes[sign] ?? sign)
