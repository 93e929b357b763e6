/** Returns the middle one, or the mean of the two in the middle of an even number. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** Returns the value below which this part of the values is, between 0 and 1. NaN for none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Least, middle and greatest, with so many digits after the point. */
export function spread(values: readonly number[], digits = 2): string {
  const format = (value: number) => value.toFixed(digits)
  return `${format(median(values))} (${format(Math.min(...values))} to ${format(Math.max(...values))})`
}
