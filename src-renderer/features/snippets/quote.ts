import type { Language } from './snippet.ts'

/**
 * Writes any text as a literal of the language that means exactly that text, whatever is in it: quotes,
 * backslashes, `$`, `#{}`, line breaks. (A shell has no literal for NUL, and source files in UTF-8 none for half a
 * surrogate pair; `eventBody` leaves neither in a body.)
 */
export const quote: Readonly<Record<Language, (text: string) => string>> = {
  curl: text => `'${text.replaceAll("'", `'\\''`)}'`,
  node: single,
  python: single,
  // Only these two mean anything between PHP's single quotes; line breaks stand for themselves.
  php: text => `'${text.replace(/[\\']/g, '\\$&')}'`,
  go: text => (/["\\]/.test(text) && !/[`\p{Cc}\ufeff]/u.test(text) ? `\`${text}\`` : goInterpreted(text)),
  // Ruby turns CR LF in its source into LF, so that control characters need the other kind of string.
  ruby: text => (/\p{Cc}/u.test(text) ? rubyDouble(text) : `'${text.replace(/[\\']/g, '\\$&')}'`),
  java,
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function fourDigits(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** JavaScript and Python read the same escapes. */
function single(text: string): string {
  const inner = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[\p{Cc}\u2028\u2029]/gu, c => named[c] ?? fourDigits(c))
  return `'${inner}'`
}

function goInterpreted(text: string): string {
  const inner = text.replace(/[\\"]/g, '\\$&').replace(/[\p{Cc}\ufeff]/gu, c => named[c] ?? fourDigits(c))
  return `"${inner}"`
}

function rubyDouble(text: string): string {
  const inner = text.replace(/[\\"#]/g, '\\$&').replace(/\p{Cc}/gu, c => named[c] ?? fourDigits(c))
  return `"${inner}"`
}

/** All that is not ASCII is escaped: before JDK 18 the compiler read files in the machine's own encoding. */
function java(text: string): string {
  const inner = text.replace(/[\\"]/g, '\\$&').replace(/[^ -~]/g, unit => named[unit] ?? fourDigits(unit))
  return `"${inner}"`
}
