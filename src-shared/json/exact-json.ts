declare global {
  /** ECMAScript's raw JSON text, which Node 24 and today's browsers have and the compiler's library does not know. */
  interface JSON {
    /** An object that JSON.stringify writes out as `text`, which must be a JSON primitive. */
    rawJSON(text: string): ExactNumber
    isRawJSON(value: unknown): value is ExactNumber
  }
}

/** A number that JavaScript would write otherwise than it was written: 9007199254740993, 1e400, -0, 1.10. */
export type ExactNumber = { readonly rawJSON: string }

/** Whether a value is a number that keeps its own text. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return JSON.isRawJSON?.(value) ?? false
}

/** Returns the text of a number as it was written; null for anything that is not a number. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return isExactNumber(value) ? value.rawJSON : null
}

/**
 * Parses JSON whose numbers keep their text (decisions: Inbound, numbers). A number that JavaScript would write
 * otherwise becomes what `JSON.rawJSON` makes of its text, which `JSON.stringify` writes out again as it was; every
 * other number stays a number. A browser without raw JSON gives numbers only.
 *
 * @throws SyntaxError as JSON.parse does.
 */
export function parseExact(text: string): unknown {
  return mayChange.test(text) || isNumber.test(text) ? JSON.parse(text, keepText) : JSON.parse(text)
}

/**
 * Whether a number of the text may be one that would be written otherwise: 16 characters or longer, with an
 * exponent, minus zero, with a zero at the end of its fraction, or so small that it would get an exponent. It may be
 * wrong about text inside strings, which only costs time.
 */
const mayChange = /[:,[]\s*(?:-?[\d.]{16,}|-?[\d.]+[eE]|-?0\.0{6}|-0\s*[,}\]]|-?\d+\.\d*0\s*[,}\]])/

/** A number by itself, which nothing precedes. */
const isNumber = /^\s*[-\d]/

function keepText(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return JSON.rawJSON?.(source) ?? value
}

/**
 * JSON text that is written out as it was parsed, digits and odd keys such as `__proto__` included,
 * wherever an answer is made with `JSON.stringify`. It is parsed only then.
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
