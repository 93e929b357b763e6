import { maxDepth } from './depth.ts'
import { isObject, tryParseExact } from './exact-json.ts'
import { isBeyond } from './json-depth.ts'

/** A JSON value that is neither a text nor null, with the name of its type. */
type ValueOfText = { readonly value: unknown; readonly as: 'number' | 'boolean' | 'list' | 'object' }

/** The values are those that a message over MCP may have: in a text, it does not have more. */
const bounds = { levels: maxDepth, values: 20_000 }

/**
 * Returns the number, boolean, list or object whose JSON a text is exactly, with all digits of numbers; null for any other
 * text, also for one with spaces around such a value, and for a list or an object with more than 20,000 values.
 */
export function valueOfText(text: string): ValueOfText | null {
  // The first and the last character tell most texts, and leave no room for spaces.
  if (!/^[-\dtf[{]/.test(text) || !/[\de\]}]$/.test(text) || isBeyond(text, bounds)) return null
  const value = tryParseExact(text)
  if (value === undefined) return null
  if (typeof value === 'boolean') return { value, as: 'boolean' }
  if (Array.isArray(value)) return { value, as: 'list' }
  return { value, as: isObject(value) ? 'object' : 'number' }
}
