import { isExactNumber } from '#shared/json/exact-json.ts'

/**
 * A JSON value with every text in it replaced by what `text` makes of it: strings, names of fields, and the
 * digits of numbers. What does not change is not copied.
 *
 * @param value nested no deeper than answers are read.
 */
export function maskTree(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return maskDigits(value, String(value), text)
  if (typeof value !== 'object' || value === null) return value
  if (isExactNumber(value)) {
    const masked = maskDigits(value, value.rawJSON, text)
    return masked === value ? maskDigits(value, String(Number(value.rawJSON)), text) : masked
  }
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value
    const masked = parts.map(part => maskTree(part, text))
    return masked.some((part, index) => part !== parts[index]) ? masked : value
  }
  let changed = false
  const fields = Object.entries(value).map(([name, part]): [string, unknown] => {
    const masked: [string, unknown] = [text(name), maskTree(part, text)]
    if (masked[0] !== name || masked[1] !== part) changed = true
    return masked
  })
  // Object.fromEntries defines fields, so `__proto__` stays one.
  return changed ? Object.fromEntries(fields) : value
}

/** A number that holds a secret becomes a text, since `••••` is no number. */
function maskDigits(value: unknown, digits: string, text: (value: string) => string): unknown {
  const masked = text(digits)
  return masked === digits ? value : masked
}
