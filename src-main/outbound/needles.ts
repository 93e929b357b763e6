import type { Needle } from './find-needles.ts'

/** Returns every way in which a secret is written as a rule: each by one encoder, or by two in turn. */
export function needlesOf(secret: string): Needle[] {
  const texts = new Set(misreadings(secret).flatMap(spellings))
  const coded = [Buffer.from(secret), Buffer.from(secret, 'latin1')].flatMap(base64Needles)
  return [...Array.from(texts, text => ({ text, before: 0, after: 0 }) as const), ...coded]
}

/** The text, and what is read where UTF-8 and Latin-1 are mistaken for each other. */
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

/** As JavaScript, RFC 3986 and forms encode it, and with each byte encoded. */
function percentEncodings(text: string): string[] {
  const everyByte = Array.from(Buffer.from(text), byte => `%${hexadecimal(byte, 2)}`).join('')
  const strict = percent(text).replace(/[!'()*]/g, sign => `%${hexadecimal(sign.charCodeAt(0), 2)}`)
  return [percent(text), strict, new URLSearchParams([['', text]]).toString().slice(1), everyByte]
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
 * The texts that bytes have inside longer base64, by how many bytes precede them modulo three. The characters at
 * the ends that the neighbours share in may be any, so they are not in the needle.
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
