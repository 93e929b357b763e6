/** Returns a duration rounded up by less than 1/32, so that an hour has few of them; exact below 64 ms. */
export function roundedUp(ms: number): number {
  if (ms < 64) return Math.max(0, ms)
  const unit = 2 ** (Math.floor(Math.log2(ms)) - 5)
  return Math.floor(ms / unit) * unit + unit - 1
}
