/** Returns whether a number equals its source exactly: true for 12.50, false for 9007199254740993. */
export function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (Object.is(value, -0)) return false
  return canonical(source) === canonical(String(value))
}

/**
 * Returns the sign, the digits without leading and trailing zeros, and the power of ten of the last digit. It counts
 * zeros in loops, because `/0+$/` takes quadratic time on `1.000…0001`.
 */
function canonical(source: string): string {
  const exponentAt = source.search(/[eE]/)
  const mantissa = exponentAt === -1 ? source : source.slice(0, exponentAt)
  const exponent = exponentAt === -1 ? 0 : Number(source.slice(exponentAt + 1))
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const digits = whole + fraction
  let from = 0
  while (from < digits.length && digits[from] === '0') from++
  if (from === digits.length) return '0'
  let to = digits.length
  while (digits[to - 1] === '0') to--
  return `${sign}${digits.slice(from, to)}e${exponent - fraction.length + (digits.length - to)}`
}
