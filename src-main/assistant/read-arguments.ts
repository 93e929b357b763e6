import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import { isNestedDeeper } from '#shared/json/json-depth.ts'
import type { CallArguments } from '#shared/model/call.ts'

const maxDepth = 100

/** Returns the arguments that a model wrote; null if they are not a JSON object. */
export function readArguments(text: string): CallArguments | null {
  if (text.trim() === '') return {}
  if (isNestedDeeper(text, maxDepth)) return null
  const value = tryParseExact(text)
  // Some servers encode the text twice.
  const inner = typeof value === 'string' && !isNestedDeeper(value, maxDepth) ? tryParseExact(value) : value
  // Some models write null for no arguments.
  if (inner === null) return {}
  return isObject(inner) ? inner : null
}
