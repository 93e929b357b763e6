import { stdSerializers } from 'pino'

const hidden = '[redacted]'
const maxDepth = 8

/** Fields that hold a credential, or what an external system sent. */
const secretName =
  /secret|token|signature|authorization|cookie|password|passphrase|^(body|rawbody|bodytext|datatext|headers|rawheaders|key)$/i

/** Credentials in running text: signing secrets, bearer tokens, the token in an inbound path. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/whsec_[A-Za-z0-9+/_=-]+/g, `whsec_${hidden}`],
  [/(\bBearer +)[^\s"',]+/gi, `$1${hidden}`],
  [/(\/api\/connect\/)[^/\s"']+/g, `$1${hidden}`],
]

/** The fields of a log entry without credentials and bodies, however deep they lie. Pure. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactFields(fields, maxDepth)
}

function redactFields(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretName.test(name) && value !== null && value !== undefined ? hidden : redactValue(value, depth - 1),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth <= 0 || ArrayBuffer.isView(value)) return hidden
  if (value instanceof Error) return redactFields(stdSerializers.err(value), depth)
  if (Array.isArray(value)) return value.map(item => redactValue(item, depth - 1))
  return value instanceof Date ? value : redactFields(value, depth)
}

function redactText(text: string): string {
  return secretTexts.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
}
