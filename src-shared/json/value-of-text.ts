import { maxDepth } from './depth.ts'
import { isObject, tryParseExact } from './exact-json.ts'
import { isNestedDeeper } from './json-depth.ts'

/** A JSON value that is neither a text nor null, with the name of its type. */
type ValueOfText = { readonly value: unknown; readonly as: 'number' | 'boolean' | 'list' | 'object' }

/**
 * Returns the number, boolean, list or object whose JSON a text is exactly, with all digits of numbers; null for any other
 * text, also for one with spaces around such a value.
 */
export function valueOfText(text: string): ValueOfText | null {
  // The first and the last character tell most texts, and leave no room for spaces.
  if (!/^[-\dtf[{]/.test(text) || !/[\de\]}]$/.test(text) || isNestedDeeper(text, maxDepth)) return null
  const value = tryParseExact(text)
  if (value === undefined) return null
  if (typeof value === 'boolean') return { value, as: 'boolean' }
  if (Array.isArray(value)) return { value, as: 'list' }
  return { value, as: isObject(value) ? 'object' : 'number' }
}
