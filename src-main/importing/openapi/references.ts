import { isObject } from '../zod-problems.ts'
import { field } from './json-value.ts'

/** What a value is once its `$ref` is followed, or why that cannot be. */
export type Resolved = { readonly value: unknown } | { readonly fault: string }

/** Follows the `$ref` of a value to what it stands for; a value without one stands for itself. */
export type Resolve = (value: unknown) => Resolved

/** A chain of references longer than this is one that goes round. */
const maxSteps = 100

/**
 * References within one document (`#/components/schemas/Pet`). Those that lead out of it are refused: nothing
 * is ever fetched or opened for an import.
 */
export function createResolve(root: unknown): Resolve {
  return value => {
    let current = value
    for (let step = 0; step < maxSteps; step++) {
      const reference = field(current, '$ref')
      if (typeof reference !== 'string') return { value: current }
      if (!reference.startsWith('#'))
        return { fault: `it refers to another document (${reference}), which is never fetched` }
      current = at(root, reference)
      if (current === undefined) return { fault: `it refers to ${reference}, which is not in the document` }
    }
    return { fault: 'its reference leads back to itself' }
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
