import { isExactNumber } from './exact-json.ts'

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
