/**
 * Levels of nesting of JSON that are accepted from outside. Deeper JSON is refused or passed on as text, because recursive
 * code would overflow the stack.
 */
export const maxDepth = 1000

/** Returns whether a JSON value is nested deeper than some levels. It looks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some(part => isDeeperThan(part, levels - 1))
}
