/**
 * Returns a document without the bounds of integers that only say which ones are exact. The converter writes them for each
 * integer without bounds of its own, so they are 2% of the document.
 */
export function dropSafeBounds<Value>(document: Value): Value
export function dropSafeBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => dropSafeBounds(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([name, bound]) =>
      !(name === 'minimum' && bound === Number.MIN_SAFE_INTEGER) &&
      !(name === 'maximum' && bound === Number.MAX_SAFE_INTEGER),
  )
  return Object.fromEntries(entries.map(([name, item]) => [name, dropSafeBounds(item)]))
}
