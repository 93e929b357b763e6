import { parseJson } from '#shared/json/parse-json.ts'
import { type Guess, wrong } from './guess.ts'

const messages = {
  empty: 'You signed an empty body but sent one; sign the bytes that you send.',
  bomStripped:
    'You signed the body without its byte order mark but sent it with one; send UTF-8 without a mark.',
  bomAdded:
    'You signed the body with a byte order mark that was not sent; encode it as UTF-8 without a mark.',
  lineEndings:
    'The line endings of the body changed between signing and sending (CRLF and LF); sign the bytes that you send.',
  encodingSigned:
    'You signed the body in an encoding other than UTF-8; sign the exact UTF-8 bytes that you send.',
  encodingSent: 'You sent the body in Latin-1 but signed it as UTF-8; send the UTF-8 bytes that you signed.',
  newline:
    'The signed body and the sent body end with different line breaks (`echo` adds one, `printf` does not); sign the bytes that you send.',
  encodedTwice: 'The body was encoded as JSON twice; encode it once, sign that text and send it unchanged.',
  bytesRepr:
    "You signed Python's `b'…'` notation of the body; decode the bytes, or concatenate bytes, before signing.",
  objectText:
    'You signed the text of an object, not its JSON; encode it once, sign that text and send it unchanged.',
}

const byteOrderMark = '\ufeff'
/** The endpoint's default limit. For larger bodies, only the empty body is guessed. */
const maxLength = 1024 * 1024

/**
 * Returns at most 24 bodies that the sender may have signed instead of the received one; none equals it.
 * `guessRewritten` generates the many re-serialized variants.
 */
export function guessBodies(received: Buffer): Guess<Buffer>[] {
  const guesses: Guess<Buffer>[] = [wrong('empty_body', messages.empty, Buffer.alloc(0))]
  if (received.length <= maxLength) guesses.push(...otherEncodings(received), ...otherTexts(received))
  return guesses.filter(({ value }) => !value.equals(received))
}

function otherTexts(received: Buffer): Guess<Buffer>[] {
  const text = received.toString('utf8')
  const bare = text.startsWith(byteOrderMark) ? text.slice(1) : text
  const trimmed = withoutFinalNewlines(text)
  const unix = text.replaceAll('\r\n', '\n')
  return [
    wrong('body_bom', messages.bomStripped, Buffer.from(bare)),
    wrong('body_bom', messages.bomAdded, Buffer.from(byteOrderMark + bare)),
    wrong('body_crlf', messages.lineEndings, Buffer.from(unix)),
    wrong('body_crlf', messages.lineEndings, Buffer.from(unix.replaceAll('\n', '\r\n'))),
    wrong('body_reserialized', messages.newline, Buffer.from(trimmed)),
    wrong('body_reserialized', messages.newline, Buffer.from(`${trimmed}\n`)),
    wrong('body_reserialized', messages.newline, Buffer.from(`${trimmed}\r\n`)),
    wrong('body_reserialized', messages.bytesRepr, Buffer.from(pythonBytes(received))),
    ...[JSON.stringify(text), ...jsonStringIn(text)].map(other =>
      wrong('body_reserialized', messages.encodedTwice, Buffer.from(other)),
    ),
    ...['[object Object]', 'Array', 'undefined', 'null', '{}', '[]'].map(word =>
      wrong('body_reserialized', messages.objectText, Buffer.from(word)),
    ),
  ]
}

/** Removes line breaks at the end. A regular expression takes quadratic time for a body full of line breaks. */
function withoutFinalNewlines(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return text.slice(0, end)
}

function otherEncodings(received: Buffer): Guess<Buffer>[] {
  const text = received.toString('utf8')
  const isUtf8 = Buffer.from(text).equals(received)
  if (isUtf8 && text.length === received.length) return [] // ASCII is the same in every encoding.
  // The bytes read as Latin-1: signed by a sender that then sends Latin-1, or that mistakes UTF-8 for Latin-1.
  const widened = Buffer.from(received.toString('latin1'))
  if (!isUtf8) return [wrong('body_latin1', messages.encodingSent, widened)]
  // For characters outside Latin-1, Node keeps the low byte; Java, PHP and .NET write a question mark.
  const narrowed = [
    text,
    text.replace(/[\u{100}-\u{10ffff}]/gu, '?'),
    text.replace(/\P{ASCII}/gu, '?'),
    text.replace(/[\u0080-\uffff]/g, '?'),
  ].map(replaced => Buffer.from(replaced, 'latin1'))
  return [...narrowed, widened].map(bytes => wrong('body_latin1', messages.encodingSigned, bytes))
}

/** Returns the text inside a body that is one JSON string, as `requests.post(url, json=text)` sends it; else none. */
function jsonStringIn(text: string): string[] {
  if (!text.startsWith('"')) return []
  const value = parseJson(text)
  return typeof value === 'string' ? [value] : []
}

/** Formats bytes like a Python f-string. */
function pythonBytes(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escapes = new Map([
    ['\\', '\\\\'],
    ["'", quote === "'" ? "\\'" : "'"],
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\t', '\\t'],
  ])
  const inner = text.replace(
    /[^ -~]|[\\']/g,
    char => escapes.get(char) ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return `b${quote}${inner}${quote}`
}
