/**
 * JSON that remembers what a value tree forgets and a signature does not: the digits of numbers,
 * the order of keys, and keys that occur twice.
 */
export type JsonTree =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonTree[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
export type JsonMember = readonly [name: string, value: JsonTree]

/** Deeper bodies are not worth a guess, and this bounds the recursion of whatever walks a tree. */
const maxDepth = 100

// The text is known to be valid when this runs, so that it need only find where tokens begin and end.
const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]|[-+.0-9A-Za-z]+/g

/** Reads a JSON text; null if it is not JSON or is nested more than 100 deep. Never throws. */
export function readJsonTree(text: string): JsonTree | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const tokens = text.matchAll(tokenPattern)
  const next = () => tokens.next().value?.[0] ?? ''

  function value(token: string, depth: number): JsonTree | null {
    if (token.startsWith('"')) return { kind: 'string', value: stringOf(token) }
    if (token !== '[' && token !== '{') return { kind: 'literal', text: token }
    if (depth === maxDepth) return null
    return token === '[' ? array(depth + 1) : object(depth + 1)
  }

  function array(depth: number): JsonTree | null {
    const items: JsonTree[] = []
    for (let token = next(); token !== ']'; token = next()) {
      const item = value(token, depth)
      if (item === null) return null
      items.push(item)
    }
    return { kind: 'array', items }
  }

  function object(depth: number): JsonTree | null {
    const members: JsonMember[] = []
    for (let token = next(); token !== '}'; token = next()) {
      const member = value(next(), depth)
      if (member === null) return null
      members.push([stringOf(token), member])
    }
    return { kind: 'object', members }
  }

  return value(next(), 0)
}

/** The value of an object's member, the last one where the name occurs twice, as JSON readers do. */
export function memberOf(tree: JsonTree, name: string): JsonTree | null {
  if (tree.kind !== 'object') return null
  return tree.members.findLast(([candidate]) => candidate === name)?.[1] ?? null
}

function stringOf(token: string): string {
  return String(JSON.parse(token))
}
