import { isExact } from '#shared/json/exact-number.ts'
import type {} from './json-raw.ts'

/**
 * JSON whose numbers keep their original digits: 2^53+1, 1e400 and -0 arrive as they were sent
 * (decisions: Inbound, numbers). A number that JavaScript cannot hold becomes what `JSON.rawJSON` makes
 * of its text, which `JSON.stringify` writes out again as it was; every other number stays a number.
 */
export function parseExact(text: string): unknown {
  return mayLoseDigits.test(text) || isNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
}

/**
 * Whether a number of the text may be one that JavaScript cannot hold: 16 characters or longer, with an
 * exponent, or minus zero. It may be wrong about text inside strings, which only costs time.
 */
const mayLoseDigits = /[:,[]\s*(?:-?[\d.]{16,}|-?[\d.]+[eE]|-0[.0]*\s*[,}\]])/

/** A number by itself, which nothing precedes. */
const isNumber = /^\s*[-\d]/

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || isExact(source, value)) return value
  return JSON.rawJSON(source)
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
