import { parseJson } from '#shared/json/parse-json.ts'
/**
 * A JSON tree that keeps what a signature covers and JSON.parse drops: digits of numbers, order of keys,
 * duplicate keys.
 */
export type JsonTree =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonTree[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
export type JsonMember = readonly [name: string, value: JsonTree]

/** Bounds the recursion of code that walks a tree. Deeper bodies are not worth a guess. */
const maxDepth = 100

// The text is valid JSON by then, so the pattern only has to find where tokens begin and end.
const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]|[-+.0-9A-Za-z]+/g

/** Parses a JSON text. Returns null if it is not JSON or is nested more than 100 levels. Never throws. */
export function readJsonTree(text: string): JsonTree | null {
  if (parseJson(text) === undefined) return null
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

/** Returns the value of an object's member; the last one if the key is repeated, as JSON parsers do. */
export function memberOf(tree: JsonTree, name: string): JsonTree | null {
  if (tree.kind !== 'object') return null
  return tree.members.findLast(([candidate]) => candidate === name)?.[1] ?? null
}

function stringOf(token: string): string {
  return String(JSON.parse(token))
}
