import type { Language } from './snippet.ts'

/**
 * Returns a text as a string literal of a language, whatever it contains: quotes, backslashes, `$`, `#{}`, line breaks.
 * A shell has no literal for NUL, and a UTF-8 source file none for half a surrogate pair; `eventBody` removes both.
 */
export const quote: Readonly<Record<Language, (text: string) => string>> = {
  curl: text => `'${text.replaceAll("'", `'\\''`)}'`,
  node: text => single(text, /[\p{Cc}\u2028\u2029]/gu),
  python: text => single(text, /[\p{Cc}\u2028\u2029]/gu),
  // PHP's single-quoted strings have no other escapes, and may contain line breaks.
  php: text => single(text),
  go: text =>
    /["\\]/.test(text) && !/[`\p{Cc}\ufeff]/u.test(text)
      ? `\`${text}\``
      : `"${escaped(text, /[\\"]/g, /[\p{Cc}\ufeff]/gu)}"`,
  // Ruby turns CR LF in its source into LF, so control characters need a double-quoted string.
  ruby: text => (/\p{Cc}/u.test(text) ? `"${escaped(text, /[\\"#]/g, /\p{Cc}/gu)}"` : single(text)),
  // Escapes everything but ASCII: before JDK 18, the compiler read files in the system's encoding.
  java: text => `"${escaped(text, /[\\"]/g, /[^ -~]/g)}"`,
}

const single = (text: string, hidden?: RegExp) => `'${escaped(text, /[\\']/g, hidden)}'`

/** Puts a backslash before the special characters, and replaces the hidden ones by escapes. */
function escaped(text: string, special: RegExp, hidden?: RegExp): string {
  const marked = text.replace(special, '\\$&')
  return hidden === undefined ? marked : marked.replace(hidden, unit => named[unit] ?? escapeUnit(unit))
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns the `\uXXXX` escape of a UTF-16 unit. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
