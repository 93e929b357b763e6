import { type ComparedField, mostFields, mostPath, mostValue } from '#main/storage/measured.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { stringifyUpTo } from '#shared/json/stringify-up-to.ts'
import { pathInside, pathText } from '#shared/model/variable-path.ts'
import { typeOf } from '#shared/workflows/references.ts'

/** As deep, and as many values, as the variables of a sample go. */
const maxDepth = 8
const maxValues = 500

/**
 * Returns the fields of a payload that its sample has not, or has of another type, and those that are missing; at most 20.
 * Of a list, the first items are compared. A null of the sample says nothing of the type.
 *
 * @param isStored whether values are kept; otherwise only their types are.
 */
export function comparePayload(sample: unknown, payload: unknown, isStored: boolean): ComparedField[] {
  const fields: ComparedField[] = []
  let left = maxValues

  function add(change: ComparedField['change'], path: string, before: unknown, now: unknown): void {
    if (fields.length >= mostFields) return
    const value = (of: unknown) =>
      of === undefined
        ? null
        : { type: typeOf(of), text: isStored ? stringifyUpTo(of, mostValue).slice(0, mostValue) : null }
    fields.push({ path: path.slice(0, mostPath), change, sample: value(before), now: value(now) })
  }

  function compare(before: unknown, now: unknown, path: string, depth: number): void {
    if (left-- <= 0 || fields.length >= mostFields || before === null) return
    if (typeOf(before) !== typeOf(now)) add('type', path, before, now)
    else if (depth >= maxDepth) return
    else if (Array.isArray(before) && Array.isArray(now)) {
      if (before.length > 0 && now.length > 0) compare(before[0], now[0], pathInside(path, '0'), depth + 1)
    } else if (isObject(before) && isObject(now)) compareFields(before, now, path, depth)
  }

  function compareFields(
    before: Readonly<Record<string, unknown>>,
    now: Readonly<Record<string, unknown>>,
    path: string,
    depth: number,
  ): void {
    for (const [name, value] of Object.entries(before)) {
      const at = pathInside(path, pathText([name]))
      if (Object.hasOwn(now, name)) compare(value, now[name], at, depth + 1)
      else add('missing', at, value, undefined)
      if (fields.length >= mostFields) return
    }
    for (const name of Object.keys(now)) {
      if (fields.length >= mostFields) return
      if (!Object.hasOwn(before, name)) add('added', pathInside(path, pathText([name])), undefined, now[name])
    }
  }

  compare(sample, payload, '', 0)
  return fields
}
