/** Returns the common spellings of a secret: by one encoder, or by two in turn. */
export function needlesOf(secret: string): Needle[] {
  const texts = new Set(isPlain(secret) ? plainSpellings(secret) : misreadings(secret).flatMap(spellings))
  const codes = [Buffer.from(secret), ...(isAscii(secret) ? [] : [Buffer.from(secret, 'latin1')])]
  const coded = codes.flatMap(base64Needles)
  return [...Array.from(texts, text => ({ text, before: 0, after: 0 }) as const), ...coded]
}

/** Returns whether no encoder has to escape the text. Every signing secret is plain, and there may be thousands. */
const isPlain = (text: string) => /^[\w-]*$/.test(text)
const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text)

function plainSpellings(text: string): string[] {
  return [text, everyBytePercent(text), everyBytePercent(text).toLowerCase()]
}

/** Returns the text, and its forms when UTF-8 and Latin-1 are mistaken for each other. */
function misreadings(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('latin1'), Buffer.from(secret, 'latin1').toString('utf8')]
}

function spellings(text: string): string[] {
  const jsons = [json(text), asciiJson(text), json(text).replaceAll('/', '\\/')]
  const twice = jsons.map(json)
  const percents = [text, ...jsons].flatMap(percentEncodings)
  return [text, ...jsons, ...twice, ...percents, percent(percent(text)), ...htmlEncodings(text)].flatMap(
    spelling => [spelling, lowerCaseEscapes(spelling)],
  )
}

const percent = (text: string) => encodeURIComponent(text.toWellFormed())
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const hexadecimal = (code: number, digits: number) => code.toString(16).padStart(digits, '0').toUpperCase()

function asciiJson(text: string): string {
  return json(text).replace(/[\u0080-\uffff]/g, unit => `\\u${hexadecimal(unit.charCodeAt(0), 4)}`)
}

/** Encodes like JavaScript, RFC 3986 and forms, and with each byte encoded. */
function percentEncodings(text: string): string[] {
  const strict = percent(text).replace(/[!'()*]/g, sign => `%${hexadecimal(sign.charCodeAt(0), 2)}`)
  return [
    percent(text),
    strict,
    new URLSearchParams([['', text]]).toString().slice(1),
    everyBytePercent(text),
  ]
}

function everyBytePercent(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')
}

function htmlEncodings(text: string): string[] {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }
  return [
    text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`),
    text.replace(/[&<>"']/g, sign => (names[sign] === undefined ? '&#39;' : `&${names[sign]};`)),
  ]
}

function lowerCaseEscapes(text: string): string {
  return text.replace(/(?:%|\\u[\dA-F]{2})[\dA-F]{2}/g, found => found.toLowerCase())
}

/**
 * Returns the texts of bytes inside longer base64, for each number of preceding bytes modulo three. Omits the characters
 * at both ends that also depend on the neighbouring bytes.
 */
function base64Needles(bytes: Buffer): Needle[] {
  return [0, 1, 2].flatMap(offset => {
    const bits = (offset + bytes.length) * 8
    const all = Buffer.concat([Buffer.alloc(offset), bytes, Buffer.alloc(2)]).toString('base64')
    const whole = all.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6))
    const url = whole.replaceAll('+', '-').replaceAll('/', '_')
    const texts = new Set([
      whole,
      url,
      whole.replaceAll('/', '\\/'),
      percent(whole),
      percent(whole).toLowerCase(),
    ])
    return Array.from(
      texts,
      text => ({ text, before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 }) as const,
    )
  })
}

/** A text to find, and how many base64 characters before and after it belong to it. */
type Needle = { readonly text: string; readonly before: 0 | 1; readonly after: 0 | 1 }
/** The characters of a text from one index up to another. */
export type Span = { readonly from: number; to: number }

/** Characters that are hashed together, and the size of the hash table, a power of two. */
const block = 3
const tableSize = 1 << 16
const maxWindow = 255

/**
 * Creates a search for many texts at once (Wu–Manber): it hashes the last characters of a window and skips as many as
 * no text can begin within. Its time grows with the text, hardly with the number of needles. It returns the spans that
 * contain a needle, in order, with overlapping spans merged.
 *
 * @param needles of at least 3 characters each.
 */
export function needleFinder(needles: readonly Needle[]): (text: string) => Span[] {
  const window = needles.reduce((least, { text }) => Math.min(least, text.length), maxWindow)
  const shifts = new Uint8Array(tableSize).fill(window - block + 1)
  const endings = new Map<number, Needle[]>()
  for (const needle of needles) {
    for (let end = block; end <= window; end++) {
      const hash = hashAt(needle.text, end - block)
      shifts[hash] = Math.min(shifts[hash] ?? 0, window - end)
    }
    const hash = hashAt(needle.text, window - block)
    const ending = endings.get(hash)
    if (ending === undefined) endings.set(hash, [needle])
    else ending.push(needle)
  }
  return text => {
    const spans: Span[] = []
    for (let at = window - block; at + block <= text.length; ) {
      const hash = hashAt(text, at)
      const shift = shifts[hash] ?? 1
      at += Math.max(shift, 1)
      if (shift > 0) continue
      const from = at - 1 - (window - block)
      for (const needle of endings.get(hash) ?? [])
        if (isAt(needle.text, text, from)) addSpan(spans, spanOf(needle, text, from))
    }
    return spans
  }
}

/** Compares the last character first: in a run of one character, mismatches are at its end. */
function isAt(needle: string, text: string, from: number): boolean {
  const last = needle.length - 1
  return text.charCodeAt(from + last) === needle.charCodeAt(last) && text.startsWith(needle, from)
}

/** Adds a span that begins no earlier than a character before the last one. */
export function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  if (last !== undefined && span.from < last.to) last.to = Math.max(last.to, span.to)
  else spans.push(span)
}

function spanOf({ text: { length }, before, after }: Needle, text: string, from: number): Span {
  const to = from + length
  return {
    from: before === 1 && isBase64(text, from - 1) ? from - 1 : from,
    to: after === 1 && isBase64(text, to) ? to + 1 : to,
  }
}

function isBase64(text: string, at: number): boolean {
  return /[A-Za-z0-9+/_-]/.test(text.charAt(at))
}

function hashAt(text: string, at: number): number {
  const hash = (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)
  return hash & (tableSize - 1)
}
