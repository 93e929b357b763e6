import { isObject } from '#shared/json/exact-json.ts'
import { cut } from './texts.ts'

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

/** What a value is once its `$ref` is followed, or why that cannot be. */
type Resolved = { readonly value: unknown } | { readonly fault: string }

/** Follows the `$ref` of a value to what it stands for; a value without one stands for itself. */
export type Resolve = (value: unknown) => Resolved

/** A chain of references longer than this is one that goes round. */
const maxSteps = 20
const maxShown = 200

/**
 * References within one document (`#/components/schemas/Pet`). Those that lead out of it are refused: nothing
 * is ever fetched or opened for an import.
 */
export function createResolve(root: unknown): Resolve {
  const known = new Map<string, Resolved>()

  function follow(first: string): Resolved {
    let reference = first
    for (let step = 0; step < maxSteps; step++) {
      const shown = cut(reference, maxShown)
      if (!reference.startsWith('#'))
        return { fault: `it refers to another document (${shown}), which is never fetched` }
      const value = at(root, reference)
      if (value === undefined) return { fault: `it refers to ${shown}, which is not in the document` }
      const next = field(value, '$ref')
      if (typeof next !== 'string') return { value }
      const rest = known.get(next)
      if (rest !== undefined) return rest
      reference = next
    }
    return { fault: 'its reference leads back to itself' }
  }

  return value => {
    const reference = field(value, '$ref')
    if (typeof reference !== 'string') return { value }
    const resolved = known.get(reference) ?? follow(reference)
    known.set(reference, resolved)
    return resolved
  }
}

/** The value at a JSON pointer in a URL fragment (RFC 6901, section 6); own fields only. */
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
