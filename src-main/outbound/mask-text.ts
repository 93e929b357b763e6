import { addSpan, needleFinder, needlesOf, type Span } from './needles.ts'

/** Replaces a secret. Header values cannot contain this character, so masking never creates a secret. */
export const mask = '••••'

/** In characters. Masking shorter values would hide ordinary words. */
const minSecretLength = 8

/** The prefix of signing secrets. It stays visible, so that a secret without it is masked too. */
export const signingPrefix = 'whsec_'

/** Replaces secrets in a text. */
export type TextMasker = (text: string) => string

/**
 * Returns a function that replaces secrets in texts, in every spelling: plain, percent-encoded, escaped as JSON or HTML,
 * any mixture of these, and base64, alone or inside a longer text. It takes linear time. Returns null if all values are
 * too short.
 */
export function textMasker(values: readonly string[]): TextMasker | null {
  const secrets = [...new Set(values.map(withoutPrefix))].filter(value => value.length >= minSecretLength)
  if (secrets.length === 0) return null
  const needles = secrets.flatMap(needlesOf)
  const find = needleFinder(needles)
  // Also search the unescaped text for unescaped secrets. It finds secrets that several encoders have escaped in part.
  const unescaped = needles.map(needle => ({
    ...needle,
    text: undoEscapes(needle.text)?.text ?? needle.text,
  }))
  const distinct = new Map(unescaped.map(needle => [needle.text, needle]))
  const findUnescaped = needleFinder(
    [...distinct.values()].filter(({ text }) => text.length >= minSecretLength),
  )
  return text => {
    const spans = find(text)
    const plain = undoEscapes(text)
    if (plain === null) return replaceSpans(text, spans)
    const more = findUnescaped(plain.text).map(({ from, to }) => ({
      from: plain.starts[from] ?? 0,
      to: plain.starts[to] ?? text.length,
    }))
    return replaceSpans(text, more.length === 0 ? spans : [...spans, ...more])
  }
}

function withoutPrefix(value: string): string {
  return value.startsWith(signingPrefix) ? value.slice(signingPrefix.length) : value
}

const kept = new WeakMap<readonly string[], TextMasker | null>()

/** Returns the same masker for the same array, because creating one costs more than using it. */
export function keptTextMasker(values: readonly string[]): TextMasker | null {
  const known = kept.get(values)
  if (known !== undefined) return known
  const made = textMasker(values)
  kept.set(values, made)
  return made
}

function replaceSpans(text: string, found: readonly Span[]): string {
  if (found.length === 0) return text
  const spans: Span[] = []
  for (const span of found.toSorted((one, other) => one.from - other.from)) addSpan(spans, span)
  let masked = ''
  let at = 0
  for (const { from, to } of spans) {
    masked += text.slice(at, from) + mask
    at = to
  }
  return masked + text.slice(at)
}

/** An unescaped text, with the offset of each character in the original. */
type Unescaped = { readonly text: string; readonly starts: Uint32Array }

/** The number of nested escapes that are undone. Each pass costs time, and deeper nesting does not happen by accident. */
const maxPasses = 4
const anyEscape = /[%\\&+]/
const entity = /&(?:#(\d{1,4})|#x([\da-f]{1,4})|(amp|lt|gt|quot|apos));/iy
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * Undoes percent-encoding, JSON escapes and HTML entities, in any mixture and up to four levels deep. A plus becomes a
 * space, as in forms. Texts that differ only in their escapes become equal. Returns null for a text without escapes.
 */
function undoEscapes(text: string): Unescaped | null {
  let result: Unescaped | null = null
  for (let pass = 0; pass < maxPasses && anyEscape.test(result?.text ?? text); pass++) {
    const next = undoOnce(result?.text ?? text)
    const unchanged = next.text === (result?.text ?? text)
    result = result === null ? next : { ...next, starts: next.starts.map(at => result?.starts[at] ?? 0) }
    if (unchanged) break
  }
  return result
}

function undoOnce(text: string): Unescaped {
  const units = new Uint16Array(text.length)
  const starts = new Uint32Array(text.length + 1)
  let count = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    starts[count] = at
    if (code === 0x25 || code === 0x5c || code === 0x26) {
      const [unit, length] = undoAt(text, at)
      units[count++] = unit
      at += length
    } else {
      units[count++] = code === 0x2b ? 0x20 : code
      at++
    }
  }
  starts[count] = text.length
  const bytes = Buffer.from(units.buffer, 0, 2 * count)
  return { text: bytes.toString('utf16le'), starts: starts.subarray(0, count + 1) }
}

/** Returns the character at an offset, unescaped, and the length of its escape. */
function undoAt(text: string, at: number): readonly [unit: number, length: number] {
  const sign = text.charAt(at)
  if (sign === '&') {
    entity.lastIndex = at
    const [whole, decimal, hexadecimal, name = ''] = entity.exec(text) ?? []
    if (whole === undefined) return [0x26, 1]
    const unit = decimal ? Number(decimal) : hexadecimal ? Number.parseInt(hexadecimal, 16) : null
    return [unit ?? (entities[name.toLowerCase()] ?? '').charCodeAt(0), whole.length]
  }
  if (sign === '%') return percentAt(text, at)
  const next = text.charAt(at + 1)
  const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0
  const value = hexadecimalAt(text, at + 2, digits)
  if (value !== null) return [value, 2 + digits]
  if (next === '\\' || next === '"' || next === '/' || next === "'") return [next.charCodeAt(0), 2]
  return [(controls[next] ?? '\\').charCodeAt(0), controls[next] === undefined ? 1 : 2]
}

/** Decodes a percent-encoded UTF-8 sequence of 2 or 3 bytes; any other byte as Latin-1. */
function percentAt(text: string, at: number): readonly [unit: number, length: number] {
  const byte = hexadecimalAt(text, at + 1, 2)
  if (byte === null) return [0x25, 1]
  if (byte < 0xc2 || byte > 0xef) return [byte, 3]
  const tail = byte < 0xe0 ? 1 : 2
  let unit = byte & (byte < 0xe0 ? 0x1f : 0x0f)
  for (let index = 1; index <= tail; index++) {
    const more = text.charAt(at + 3 * index) === '%' ? hexadecimalAt(text, at + 3 * index + 1, 2) : null
    if (more === null || (more & 0xc0) !== 0x80) return [byte, 3]
    unit = (unit << 6) | (more & 0x3f)
  }
  return [unit, 3 * (tail + 1)]
}

function hexadecimalAt(text: string, at: number, digits: number): number | null {
  if (digits === 0) return null
  const found = text.slice(at, at + digits)
  return found.length === digits && /^[\da-fA-F]+$/.test(found) ? Number.parseInt(found, 16) : null
}

/** Matches an Authorization scheme, or a word such as `ApiKey`, followed by a credential. */
const schemed =
  /^(basic|bearer|digest|hmac|jwt|negotiate|oauth|ssws|[\w-]{0,40}(?:auth|key|token)[\w-]{0,40})[ \t:=]+(\S.*)$/is

/**
 * Returns everything to mask for a secret value: the value, the credential after a scheme word, and for `Basic` the
 * decoded pair, its user name and its password. The other side may send back any of them.
 */
export function secretTexts(value: string): string[] {
  const [, scheme = '', credential] = schemed.exec(value) ?? []
  if (credential === undefined) return [value]
  return [value, credential, ...(scheme.toLowerCase() === 'basic' ? pairTexts(credential) : [])]
}

function pairTexts(credential: string): string[] {
  const pair = Buffer.from(credential, 'base64').toString('latin1')
  const colon = pair.indexOf(':')
  return colon === -1 ? [] : [pair, pair.slice(0, colon), pair.slice(colon + 1)]
}
