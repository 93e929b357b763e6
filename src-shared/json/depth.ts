/** Returns whether a JSON value is nested deeper than some levels. It looks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some(part => isDeeperThan(part, levels - 1))
}
