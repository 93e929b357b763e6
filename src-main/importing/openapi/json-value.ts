import { isObject } from '../zod-problems.ts'

/** The own field of an object; undefined where there is none, or `value` is no object. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Longer than any field of an action; parts of a document can be referred to often, so no more is looked at. */
const maxText = 10_000

/** The own field where it is a text that says something, at most its first 10,000 characters. */
export function textField(value: unknown, name: string): string | null {
  const found = field(value, name)
  if (typeof found !== 'string') return null
  const text = found.slice(0, maxText).trim()
  return text === '' ? null : text
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

export function entriesOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

/** Returns `read` with its result kept for each object: many parts of a document may refer to the same one. */
export function oncePerObject<Result>(read: (value: object) => Result): (value: object) => Result {
  const known = new WeakMap<object, { readonly result: Result }>()
  return value => {
    const kept = known.get(value) ?? { result: read(value) }
    known.set(value, kept)
    return kept.result
  }
}
