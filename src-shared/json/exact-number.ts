/** Whether the number, written out again, means the same as its source: 12.50 does, 9007199254740993 does not. */
export function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (Object.is(value, -0)) return false
  return canonical(source) === canonical(String(value))
}

/** Sign, digits without zeros at either end, and the power of ten of the last digit. */
function canonical(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length)
  return `${sign}${trimmed}e${power}`
}
