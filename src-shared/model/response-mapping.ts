import { z } from 'zod'
import { isExactNumber } from '../json/exact-json.ts'
import { invalidKey } from './issue.ts'

/** Parses a dot-path such as `customer.name`, `items.0.sku` or `items[0].sku` to its steps; null if it is invalid. */
export function parseDotPath(path: string): string[] | null {
  const dotted = path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
  const steps = dotted.split('.')
  return dotted === '' || steps.some(step => step === '' || /[[\]]/.test(step)) ? null : steps
}

const maxAlias = 64

/** Matches an index of an array. Properties such as `length` are not part of the response. */
const arrayIndex = /^(?:0|[1-9]\d*)$/

/**
 * Returns the value at a path, or undefined. A path leads through own fields of objects and items of arrays only,
 * not through inherited properties or characters of a text.
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

/** Alias → dot-path into the response. */
export const ResponseMapping = z
  .record(
    z.string(),
    z
      .string()
      .max(1000)
      .refine(path => parseDotPath(path) !== null, 'Write a dot-path: customer.name or items[0].sku.'),
  )
  .superRefine((mapping, context) => {
    for (const alias of Object.keys(mapping))
      if (alias === '' || alias.length > maxAlias)
        context.addIssue(invalidKey(alias, `An alias has 1 to ${maxAlias} characters.`))
  })
