import { isObject } from '../zod-problems.ts'
import { field } from './json-value.ts'
import { cut } from './texts.ts'

/** What a value is once its `$ref` is followed, or why that cannot be. */
export type Resolved = { readonly value: unknown } | { readonly fault: string }

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
