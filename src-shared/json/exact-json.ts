declare global {
  /** ECMAScript's raw JSON text. Node 24 and current browsers have it, but TypeScript's library does not declare it. */
  interface JSON {
    /** Returns an object that JSON.stringify writes as `text`, which must be a JSON primitive. */
    rawJSON(text: string): ExactNumber
    isRawJSON(value: unknown): value is ExactNumber
  }
}

/** A number whose text JavaScript would change: 9007199254740993, 1e400, -0, 1.10. */
export type ExactNumber = { readonly rawJSON: string }

/** Returns whether a value is a number that keeps its own text. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return JSON.isRawJSON?.(value) ?? false
}

/** Returns whether a JSON value is an object, not an array or an exact number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

/** Returns the text of a number as it was written; null for anything that is not a number. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return isExactNumber(value) ? value.rawJSON : null
}

/**
 * Parses JSON so that numbers keep their text. A number whose text JavaScript would
 * change becomes the `JSON.rawJSON` of its text, which `JSON.stringify` writes unchanged. Every other number stays a
 * number. A browser without raw JSON returns numbers only.
 *
 * @throws SyntaxError as JSON.parse does.
 */
export function parseExact(text: string): unknown {
  return mayChange.test(text) || isNumber.test(text) ? JSON.parse(text, keepText) : JSON.parse(text)
}

/**
 * Matches a text that may contain a number whose text JavaScript would change: 16 characters or longer, with an
 * exponent, minus zero, with a zero at the end of its fraction, or so small that it would get an exponent. It also
 * matches inside strings, which only costs time.
 */
const mayChange = /[:,[\s](?:-0\s*[,}\]]|-?(?:\d[\d.]{15}|\d[\d.]*[eE]|0\.0{6}|\d+\.\d*0\s*[,}\]]))/

/** Matches a text that is a single number. */
const isNumber = /^\s*[-\d]/

function keepText(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return JSON.rawJSON?.(source) ?? value
}

/**
 * A JSON text as a value. `JSON.stringify` writes it with all digits of its numbers, and with unusual keys such as
 * `__proto__`. The text is parsed only at that time.
 */
export class ExactJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return parseExact(this.text)
  }
}

/** Parses JSON with exact numbers. Returns undefined, which no schema accepts, for any other text. */
export function tryParseExact(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
