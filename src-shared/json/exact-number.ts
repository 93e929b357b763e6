/** Returns whether a number equals its source exactly: true for 12.50, false for 9007199254740993. */
export function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (Object.is(value, -0)) return false
  return compareNumbers(source, String(value)) === 0
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Returns whether a text is a number as JSON writes it. */
export function isNumberText(text: string): boolean {
  return jsonNumber.test(text)
}

/** Compares two JSON numbers by their exact values: returns -1, 0 or 1. */
export function compareNumbers(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)]
  if (a.sign !== b.sign) return a.sign < b.sign ? -1 : 1
  return a.sign < 0 ? compareMagnitudes(b, a) : compareMagnitudes(a, b)
}

function compareMagnitudes(a: Parts, b: Parts): number {
  const [highest, other] = [a.exponent + a.digits.length, b.exponent + b.digits.length]
  if (highest !== other) return highest < other ? -1 : 1
  // Both begin at the same power of ten, so their digits are in the order of texts.
  if (a.digits === b.digits) return 0
  return a.digits < b.digits ? -1 : 1
}

/** `sign` is -1, 0 or 1; `exponent` is the power of ten of the last digit. */
type Parts = { readonly sign: number; readonly digits: string; readonly exponent: number }

/**
 * Returns the sign, the digits without leading and trailing zeros, and the power of ten of the last digit. It counts
 * zeros in loops, because `/0+$/` takes quadratic time on `1.000…0001`.
 */
function partsOf(source: string): Parts {
  const exponentAt = source.search(/[eE]/)
  const mantissa = exponentAt === -1 ? source : source.slice(0, exponentAt)
  const exponent = exponentAt === -1 ? 0 : Number(source.slice(exponentAt + 1))
  const isNegative = mantissa.startsWith('-')
  const [whole = '', fraction = ''] = mantissa.slice(Number(isNegative)).split('.')
  const digits = whole + fraction
  let from = 0
  while (from < digits.length && digits[from] === '0') from++
  if (from === digits.length) return { sign: 0, digits: '', exponent: 0 }
  let to = digits.length
  while (digits[to - 1] === '0') to--
  return {
    sign: isNegative ? -1 : 1,
    digits: digits.slice(from, to),
    exponent: exponent - fraction.length + (digits.length - to),
  }
}

/** Returns the same text for equal JSON numbers: `1`, `1.0` and `10e-1`. */
export function canonicalNumber(source: string): string {
  const { sign, digits, exponent } = partsOf(source)
  return sign === 0 ? '0' : `${sign < 0 ? '-' : ''}${digits}e${exponent}`
}

/** Returns whether a JSON number is a whole one: true for 1.0 and 1e400. */
export function isWhole(source: string): boolean {
  return partsOf(source).exponent >= 0
}

/** Digits of the numbers that are divided exactly. */
const maxDivided = 2000

/** Returns whether a JSON number is a multiple of another one greater than 0. False for numbers of more than 2,000 digits. */
export function isMultipleOf(source: string, factor: string): boolean {
  const [a, b] = [partsOf(source), partsOf(factor)]
  if (a.sign === 0) return true
  const power = Math.min(a.exponent, b.exponent)
  if (a.digits.length + a.exponent - power > maxDivided) return false
  if (b.digits.length + b.exponent - power > maxDivided) return false
  const scaled = ({ digits, exponent }: Parts) => BigInt(digits + '0'.repeat(exponent - power))
  return scaled(a) % scaled(b) === 0n
}
