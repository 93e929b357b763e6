import { z } from 'zod'
import { isExactNumber } from '../json/exact-json.ts'

/** Steps of a dot-path such as `customer.name`, `items.0.sku` or `items[0].sku`; null when it is none. */
export function parseDotPath(path: string): string[] | null {
  const dotted = path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
  const steps = dotted.split('.')
  return dotted === '' || steps.some(step => step === '' || /[[\]]/.test(step)) ? null : steps
}

/** An item of an array; `length` and the like are no part of what was sent. */
const arrayIndex = /^(?:0|[1-9]\d*)$/

/**
 * Returns the value at a path: own fields of objects and items of arrays only, nothing inherited and nothing of a
 * text; undefined where it is absent.
 */
export function valueAt(value: unknown, steps: readonly string[]): unknown {
  let current = value
  for (const step of steps) {
    if (typeof current !== 'object' || current === null || isExactNumber(current)) return undefined
    if (!Object.hasOwn(current, step)) return undefined
    if (Array.isArray(current) && !arrayIndex.test(step)) return undefined
    current = Reflect.get(current, step)
  }
  return current
}

/** Alias → dot-path into the response (specification: Action, responseMapping). */
export const ResponseMapping = z.record(
  z.string().min(1, 'An alias has at least one character.').max(64),
  z
    .string()
    .max(1000)
    .refine(path => parseDotPath(path) !== null, 'Write a dot-path: customer.name or items[0].sku.'),
)
