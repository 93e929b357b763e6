/** What stands in the place of a secret. No header value can hold this character, so none can come about. */
export const mask = '••••'

/**
 * What escaping makes of a backslash, and of the one in front of a character: three times over, at most. The
 * limit keeps the search linear in texts that are nothing but backslashes; so it does for `%25`.
 */
const maxBackslashes = 8
const percent = '%(?:25){0,3}'
const backslash = `(?:\\\\|${percent}5[cC])`
const escaping = `${backslash}{1,${maxBackslashes}}`

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;|&#38;|&#x26;',
  '<': '&lt;|&#60;|&#x3[cC];',
  '>': '&gt;|&#62;|&#x3[eE];',
  '"': '&quot;|&#34;|&#x22;',
  "'": '&apos;|&#0?39;|&#x27;',
}

/**
 * The source of a pattern that finds a text wherever it stands: plain; percent-encoded, once or more often,
 * with any of its characters encoded or not; escaped as JSON does it, in any depth; with HTML's entities; and
 * in base64 or base64url, alone or as a part of something longer, such as the `user:password` of Basic.
 */
export function maskPattern(secret: string): string {
  const coded = new Set(encodings(secret).flatMap(base64Patterns))
  return [spellings(secret), ...coded].join('|')
}

/** A value, each of its characters however it may be written. */
function spellings(value: string): string {
  // A run of backslashes is one thing: one by one, they could share a longer run in too many ways.
  return value.replace(/\\+|[^\\]/g, part =>
    part.startsWith('\\')
      ? `${backslash}{${part.length},${part.length * maxBackslashes}}`
      : anySpelling(part),
  )
}

function anySpelling(character: string): string {
  const code = character.charCodeAt(0)
  const byte = hexPattern(code & 0xff)
  const ways = [
    literal(character),
    percent + byte,
    code > 0xff ? `${escaping}u${hexPattern(code >> 8)}${byte}` : `${escaping}(?:u00|x)${byte}`,
  ]
  if (code > 0x7f) {
    const utf8 = Buffer.from(character)
    ways.push([...utf8].map(each => percent + hexPattern(each)).join(''))
    // UTF-8 read as Latin-1, and Latin-1 read as UTF-8.
    ways.push(literal(utf8.toString('latin1')), '\ufffd')
  }
  if (character === ' ') ways.push('\\+')
  if (character === '\t') ways.push(`${escaping}t`)
  if (character === '"' || character === '/' || character === "'")
    ways.push(`${escaping}(?:${character}|${percent}${byte})`)
  const entity = entities[character]
  if (entity !== undefined) ways.push(entity)
  return `(?:${ways.join('|')})`
}

/** The bytes of a value as they may have been encoded: as text in UTF-8, or as they were in the header. */
function encodings(value: string): Buffer[] {
  const utf8 = Buffer.from(value)
  const latin1 = Buffer.from(value, 'latin1')
  return utf8.equals(latin1) ? [utf8] : [utf8, latin1]
}

/**
 * The three texts that bytes have inside longer base64, by how many bytes stand before them modulo three.
 * The characters at both ends that the neighbours share in may be any that fit.
 */
function base64Patterns(bytes: Buffer): string[] {
  return [0, 1, 2].map(before => {
    const bits = (before + bytes.length) * 8
    const all = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]).toString('base64')
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(bits / 6)
    const whole = Array.from(all.slice(first, last), base64Character).join('')
    // The neighbour's bits are zero in `all`: its part of the character is counted through. The first one
    // belongs to the piece before where this is a piece of a long value.
    const head = before === 0 ? '' : `${shared(all.charAt(first - 1), before === 1 ? 16 : 4, 64)}?`
    const tail = bits % 6 === 0 ? '' : shared(all.charAt(last), 1, bits % 6 === 2 ? 16 : 4)
    return head + whole + tail
  })
}

/** A character whose value is `fixed` plus any multiple of `step` below `end`. */
function shared(fixed: string, step: number, end: number): string {
  const base = base64Alphabet.indexOf(fixed)
  const characters: string[] = []
  for (let more = 0; more < end; more += step) characters.push(base64Alphabet.charAt(base + more))
  return `(?:${characters.map(base64Character).join('|')})`
}

function base64Character(character: string): string {
  if (character === '+') return `(?:\\+|-|${percent}2[bB]|${escaping}u002[bB])`
  if (character === '/') return `(?:\\\\{0,${maxBackslashes}}\\/|_|${percent}2[fF]|${escaping}u002[fF])`
  return character
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Two hexadecimal digits in either case. */
function hexPattern(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0')
  return hex.replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
}
