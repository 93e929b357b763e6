import type { Language } from './snippet.ts'

/**
 * Returns a text as a string literal of a language, whatever it contains: quotes, backslashes, `$`, `#{}`, line breaks.
 * A shell has no literal for NUL, and a UTF-8 source file none for half a surrogate pair; `eventBody` removes both.
 */
export const quote: Readonly<Record<Language, (text: string) => string>> = {
  curl: text => `'${text.replaceAll("'", `'\\''`)}'`,
  node: single,
  python: single,
  // PHP's single-quoted strings have no other escapes, and may contain line breaks.
  php: text => `'${text.replace(/[\\']/g, '\\$&')}'`,
  go: text => (/["\\]/.test(text) && !/[`\p{Cc}\ufeff]/u.test(text) ? `\`${text}\`` : goInterpreted(text)),
  // Ruby turns CR LF in its source into LF, so control characters need a double-quoted string.
  ruby: text => (/\p{Cc}/u.test(text) ? rubyDouble(text) : `'${text.replace(/[\\']/g, '\\$&')}'`),
  java,
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns the `\uXXXX` escape of a UTF-16 unit. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** JavaScript and Python have the same escapes. */
function single(text: string): string {
  const inner = text
    .replace(/[\\']/g, '\\$&')
    .replace(/[\p{Cc}\u2028\u2029]/gu, c => named[c] ?? escapeUnit(c))
  return `'${inner}'`
}

function goInterpreted(text: string): string {
  const inner = text.replace(/[\\"]/g, '\\$&').replace(/[\p{Cc}\ufeff]/gu, c => named[c] ?? escapeUnit(c))
  return `"${inner}"`
}

function rubyDouble(text: string): string {
  const inner = text.replace(/[\\"#]/g, '\\$&').replace(/\p{Cc}/gu, c => named[c] ?? escapeUnit(c))
  return `"${inner}"`
}

/** Escapes everything but ASCII: before JDK 18, the compiler read files in the system's encoding. */
function java(text: string): string {
  const inner = text.replace(/[\\"]/g, '\\$&').replace(/[^ -~]/g, unit => named[unit] ?? escapeUnit(unit))
  return `"${inner}"`
}
