import { isObject } from '#shared/json/exact-json.ts'
import { cut } from './texts.ts'

/** Returns an own field of an object; undefined if it is missing or `value` is not an object. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Longer than any field of an action. References can repeat a text many times, so the rest is not read. */
const maxText = 10_000

/** Returns the first 10,000 characters of a text field, trimmed; null if it is missing or empty. */
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

/** Caches the results of `read` by object, because many parts of a document can refer to the same one. */
export function oncePerObject<Result>(read: (value: object) => Result): (value: object) => Result {
  const known = new WeakMap<object, { readonly result: Result }>()
  return value => {
    const kept = known.get(value) ?? { result: read(value) }
    known.set(value, kept)
    return kept.result
  }
}

/** The target of a `$ref`, or why it cannot be resolved. */
type Resolved = { readonly value: unknown } | { readonly error: string }

/** Resolves the `$ref` of a value. Returns a value without one unchanged. */
export type Resolve = (value: unknown) => Resolved

/** A longer chain of references counts as circular. */
const maxSteps = 20
const maxShown = 200

/**
 * Resolves references within one document (`#/components/schemas/Pet`). Refuses references to other documents: an import
 * never fetches or opens anything.
 */
export function createResolve(root: unknown): Resolve {
  const known = new Map<string, Resolved>()

  function follow(first: string): Resolved {
    let reference = first
    for (let step = 0; step < maxSteps; step++) {
      const shown = cut(reference, maxShown)
      if (!reference.startsWith('#'))
        return { error: `it refers to another document (${shown}), which is never fetched` }
      const value = at(root, reference)
      if (value === undefined) return { error: `it refers to ${shown}, which is not in the document` }
      const next = field(value, '$ref')
      if (typeof next !== 'string') return { value }
      const rest = known.get(next)
      if (rest !== undefined) return rest
      reference = next
    }
    return { error: 'its reference leads back to itself' }
  }

  return value => {
    const reference = field(value, '$ref')
    if (typeof reference !== 'string') return { value }
    const resolved = known.get(reference) ?? follow(reference)
    known.set(reference, resolved)
    return resolved
  }
}

/** Returns the value at a JSON pointer in a URL fragment (RFC 6901, section 6). Follows own fields only. */
function at(root: unknown, fragment: string): unknown {
  if (fragment === '#') return root
  if (!fragment.startsWith('#/')) return undefined
  let current = root
  for (const step of fragment.slice(2).split('/')) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(current)) current = /^\d+$/.test(name) ? current[Number(name)] : undefined
    else if (isObject(current)) current = field(current, name)
    else return undefined
  }
  return current
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
