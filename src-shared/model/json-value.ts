import { z } from 'zod'

/**
 * The keys of data that is read from its own text again. Zod's records drop `__proto__`, so that every other record must
 * refuse it (`unknownFields`).
 */
export const AnyKey = z.string()

/** Any JSON value, however deep. The check of `z.json()` calls itself for each level and can exhaust the stack. */
export const JsonValue = z
  .unknown()
  .refine((value): value is JsonValue => isJson(value), 'Write a JSON value.')

type JsonValue = z.core.util.JSONType

function isJson(root: unknown): boolean {
  const left: unknown[] = [root]
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (z.core.util.isPlainObject(value)) for (const field of Object.values(value)) left.push(field)
    else if (value !== null && !['string', 'boolean'].includes(typeof value) && !Number.isFinite(value))
      return false
  }
  return true
}
