import { mask } from '#shared/model/environment.ts'
import { addSpan, needleFinder, needlesOf, type Span } from './needles.ts'

/** In characters. Masking shorter values would hide ordinary words. */
export const minSecretLength = 8

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
  const secrets = [...maskable(values)]
  return secrets.length === 0 ? null : maskerWith([finderOf(secrets)])
}

function maskable(values: readonly string[]): Set<string> {
  return new Set(values.map(withoutPrefix).filter(value => value.length >= minSecretLength))
}

/** Finds secrets in a text, and unescaped secrets in the unescaped text, which several encoders have escaped in part. */
type Finder = Readonly<Record<'find' | 'findUnescaped', (text: string) => Span[]>>

function finderOf(secrets: readonly string[]): Finder {
  const needles = secrets.flatMap(needlesOf)
  const unescaped = needles.map(needle => ({
    ...needle,
    text: undoEscapes(needle.text)?.text ?? needle.text,
  }))
  const distinct = new Map(unescaped.map(needle => [needle.text, needle]))
  return {
    find: needleFinder(needles),
    findUnescaped: needleFinder([...distinct.values()].filter(({ text }) => text.length >= minSecretLength)),
  }
}

function maskerWith(finders: readonly Finder[]): TextMasker {
  return text => {
    if (text.length < minSecretLength) return text
    const spans = finders.flatMap(({ find }) => find(text))
    const plain = undoEscapes(text)
    if (plain === null) return replaceSpans(text, spans)
    const more = finders
      .flatMap(({ findUnescaped }) => findUnescaped(plain.text))
      .map(({ from, to }) => ({ from: plain.starts[from] ?? 0, to: plain.starts[to] ?? text.length }))
    return replaceSpans(text, more.length === 0 ? spans : [...spans, ...more])
  }
}

function withoutPrefix(value: string): string {
  return value.startsWith(signingPrefix) ? value.slice(signingPrefix.length) : value
}

const kept = new WeakMap<readonly string[], TextMasker | null>()

/** Nothing else looks like a signing secret, so that one may be masked longer than it must. */
const isRandom = (secret: string) => /^[\w-]{43}$/.test(secret)

/** Up to this many secrets are added to a finder without making it again. */
const mostAdded = 200
/** The finder of many secrets that was made last. */
let base: { readonly secrets: ReadonlySet<string>; readonly finder: Finder } | null = null

/**
 * Returns the same masker for the same array, because creating one costs more than using it. With thousands of secrets
 * that takes a second, so a few more of them are added to what is there.
 */
export function keptTextMasker(values: readonly string[]): TextMasker | null {
  const known = kept.get(values)
  if (known !== undefined) return known
  const made = extendedMasker(maskable(values))
  kept.set(values, made)
  return made
}

function extendedMasker(secrets: ReadonlySet<string>): TextMasker | null {
  if (secrets.size === 0) return null
  if (base !== null) {
    const { secrets: earlier, finder } = base
    const added = [...secrets].filter(secret => !earlier.has(secret))
    const removed = [...earlier].filter(secret => !secrets.has(secret))
    if (added.length <= mostAdded && removed.length <= mostAdded && removed.every(isRandom))
      return maskerWith(added.length === 0 ? [finder] : [finder, finderOf(added)])
  }
  base = { secrets, finder: finderOf([...secrets]) }
  return maskerWith([base.finder])
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

/**
 * Undoes percent-encoding, JSON escapes and HTML entities, in any mixture and up to four levels deep. A plus becomes a
 * space, as in forms. Texts that differ only in their escapes become equal. Returns null for a text without escapes.
 */
function undoEscapes(text: string): Unescaped | null {
  if (!anyEscape.test(text)) return null
  let result = undoOnce(text, null)
  for (let pass = 1; pass < maxPasses && anyEscape.test(result.text); pass++) {
    const next = undoOnce(result.text, result.starts)
    // Each escape is longer than its character, except for a plus.
    if (next.text.length === result.text.length && next.text === result.text) break
    result = next
  }
  return result
}

/** Most texts are short, and new arrays for each would take longer than the rest. */
const reusedUnits = new Uint16Array(1024)

/** @param before the offsets of the characters of this text, if it is unescaped itself. */
function undoOnce(text: string, before: Uint32Array | null): Unescaped {
  const { length } = text
  const units = length <= reusedUnits.length ? reusedUnits : new Uint16Array(length)
  const starts = new Uint32Array(length + 1)
  let count = 0
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at)
    starts[count] = at
    if (code === 0x25 || code === 0x5c || code === 0x26) {
      const found = undoAt(text, at, code)
      units[count++] = found & 0xffff
      at += found >>> 16
    } else {
      units[count++] = code === 0x2b ? 0x20 : code
      at++
    }
  }
  starts[count] = length
  if (before !== null)
    for (let index = 0; index <= count; index++) starts[index] = before[starts[index] ?? 0] ?? 0
  const bytes = Buffer.from(units.buffer, 0, 2 * count)
  return { text: bytes.toString('utf16le'), starts: starts.subarray(0, count + 1) }
}

/** A character and the length of its escape as one number: an object for each would take most of the time. */
const undone = (unit: number, length: number) => (length << 16) | unit

/** Returns the character that begins at a sign of an escape, and the length of the escape. */
function undoAt(text: string, at: number, sign: number): number {
  if (sign === 0x25) return percentAt(text, at)
  return sign === 0x5c ? backslashAt(text, at) : entityAt(text, at)
}

const controls: Readonly<Record<string, number>> = { b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09 }

/** Undoes an escape of JSON or JavaScript. */
function backslashAt(text: string, at: number): number {
  const next = text.charAt(at + 1)
  const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0
  const value = digits === 0 ? null : hexadecimalAt(text, at + 2, digits)
  if (value !== null) return undone(value, 2 + digits)
  if (next === '\\' || next === '"' || next === '/' || next === "'") return undone(next.charCodeAt(0), 2)
  const control = controls[next]
  return control === undefined ? undone(0x5c, 1) : undone(control, 2)
}

/** Decodes a percent-encoded UTF-8 sequence of 2 or 3 bytes; any other byte as Latin-1. */
function percentAt(text: string, at: number): number {
  const byte = hexadecimalAt(text, at + 1, 2)
  if (byte === null) return undone(0x25, 1)
  if (byte < 0xc2 || byte > 0xef) return undone(byte, 3)
  const tail = byte < 0xe0 ? 1 : 2
  let unit = byte & (byte < 0xe0 ? 0x1f : 0x0f)
  for (let index = 1; index <= tail; index++) {
    const next = at + 3 * index
    const more = text.charCodeAt(next) === 0x25 ? hexadecimalAt(text, next + 1, 2) : null
    if (more === null || (more & 0xc0) !== 0x80) return undone(byte, 3)
    unit = (unit << 6) | (more & 0x3f)
  }
  return undone(unit, 3 * (tail + 1))
}

const entity = /&(?:#(\d{1,4})|#x([\da-f]{1,4})|(amp|lt|gt|quot|apos));/iy
const entities: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }

function entityAt(text: string, at: number): number {
  // The expression costs much more than a look at what follows.
  const next = text.charCodeAt(at + 1)
  if (next !== 0x23 && !(next >= 0x41 && next <= 0x7a)) return undone(0x26, 1)
  if (text.startsWith('amp;', at + 1)) return undone(0x26, 5)
  entity.lastIndex = at
  const [whole, decimal, hexadecimal, name = ''] = entity.exec(text) ?? []
  if (whole === undefined) return undone(0x26, 1)
  const unit = decimal ? Number(decimal) : hexadecimal ? Number.parseInt(hexadecimal, 16) : null
  return undone(unit ?? entities[name.toLowerCase()] ?? 0x26, whole.length)
}

/** Returns the number in some hexadecimal digits; null if one of them is none. */
function hexadecimalAt(text: string, at: number, digits: number): number | null {
  let value = 0
  for (let index = at; index < at + digits; index++) {
    const digit = digitOf(text.charCodeAt(index))
    if (digit === -1) return null
    value = value * 16 + digit
  }
  return value
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Matches an Authorization scheme, or a word such as `ApiKey`, followed by a credential. */
const schemed =
  /^(basic|bearer|digest|hmac|jwt|negotiate|oauth|ssws|[\w-]{0,40}(?:auth|key|token)[\w-]{0,40})[ \t:=]+(\S.*)$/is

/**
 * Returns everything to mask for a secret value: the value, the credential after a scheme word, and for `Basic` the
 * decoded pair, its user name and its password. The other side may send back any of them, without the spaces around the
 * value, because HTTP drops these at the ends of a header.
 */
export function secretTexts(value: string): string[] {
  const text = value.trim()
  const [, scheme = '', credential] = schemed.exec(text) ?? []
  if (credential === undefined) return [text]
  return [text, credential, ...(scheme.toLowerCase() === 'basic' ? pairTexts(credential) : [])]
}

function pairTexts(credential: string): string[] {
  const pair = Buffer.from(credential, 'base64').toString('latin1')
  const colon = pair.indexOf(':')
  return colon === -1 ? [] : [pair, pair.slice(0, colon), pair.slice(colon + 1)]
}
