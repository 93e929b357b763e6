import { isExact } from '#shared/json/exact-number.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { walkJson } from '#shared/json/walk-json.ts'

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'literal'

/** One value of a JSON text, as it was written. */
export type JsonNode = {
  /** Its position in the text; 0 is the root. */
  readonly index: number
  /** The keys and positions from the root to it. */
  readonly steps: readonly (string | number)[]
  /** The key or position in its container; null at the root. */
  readonly name: string | number | null
  /** Its dot-path, such as `items.0.sku`; null for the root and where a key cannot be part of one. */
  readonly path: string | null
  readonly kind: JsonKind
  /** The content of a string, the digits of a number, or a literal; empty for a container. */
  readonly value: string
  /** The number of keys or items of a container. */
  readonly children: number
  /** 0 at the root. */
  readonly depth: number
}

/** The values of a JSON text in its order. Parallel arrays keep documents of megabytes or a thousand levels cheap. */
export type JsonNodes = {
  readonly kinds: JsonKind[]
  readonly names: (string | number | null)[]
  readonly values: string[]
  readonly depths: number[]
  /** Index of the container; -1 at the root. */
  readonly parents: number[]
  readonly children: number[]
  /** The index after its last descendant. */
  readonly ends: number[]
}

/** Parses a JSON text; null if it is not JSON. Numbers keep their digits, and duplicate keys are kept. */
export function readJsonNodes(text: string): JsonNodes | null {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (parseJson(json) === undefined) return null
  const nodes: JsonNodes = {
    kinds: [],
    names: [],
    values: [],
    depths: [],
    parents: [],
    children: [],
    ends: [],
  }
  const open: number[] = []
  walkJson(json, {
    value(step, kind, offset, source) {
      const index = nodes.kinds.length
      const parent = open.at(-1) ?? -1
      nodes.kinds.push(kind === 'other' ? 'literal' : kind)
      nodes.names.push(step)
      nodes.values.push(kind === 'other' ? literalAt(json, offset) : source)
      nodes.depths.push(open.length)
      nodes.parents.push(parent)
      nodes.children.push(0)
      nodes.ends.push(index + 1)
      if (parent !== -1) nodes.children[parent] = (nodes.children[parent] ?? 0) + 1
      if (kind === 'object' || kind === 'array') open.push(index)
    },
    leave() {
      const left = open.pop()
      if (left !== undefined) nodes.ends[left] = nodes.kinds.length
    },
  })
  return nodes
}

function literalAt(text: string, offset: number): string {
  const first = text[offset]
  return first === 't' ? 'true' : first === 'f' ? 'false' : 'null'
}

export function nodeAt(nodes: JsonNodes, index: number): JsonNode {
  const steps: (string | number)[] = []
  for (let at = index; at > 0; at = nodes.parents[at] ?? 0) steps.push(nodes.names[at] ?? '')
  steps.reverse()
  return {
    index,
    steps,
    name: nodes.names[index] ?? null,
    path: dotPath(steps),
    kind: nodes.kinds[index] ?? 'literal',
    value: nodes.values[index] ?? '',
    children: nodes.children[index] ?? 0,
    depth: nodes.depths[index] ?? 0,
  }
}

/** Returns the dot-path of these steps; null if a key cannot be part of one. */
export function dotPath(steps: readonly (string | number)[]): string | null {
  const isWritable = steps.every(step => typeof step === 'number' || (step !== '' && !/[.[\]]/.test(step)))
  return steps.length > 0 && isWritable ? steps.join('.') : null
}

/** Returns the value at these steps; null if there is none. The last of duplicate keys is used. */
export function indexOfSteps(nodes: JsonNodes, steps: readonly (string | number)[]): number | null {
  let at = 0
  for (const step of steps) {
    let found = -1
    const end = nodes.ends[at] ?? 0
    for (let child = at + 1; child < end; child = nodes.ends[child] ?? end)
      if (String(nodes.names[child]) === String(step)) found = child
    if (found === -1) return null
    at = found
  }
  return at
}

/** Returns the values that are visible while some containers are closed. */
export function visibleNodes(nodes: JsonNodes, isClosed: (index: number) => boolean): number[] {
  const visible: number[] = []
  for (let index = 0; index < nodes.kinds.length; ) {
    visible.push(index)
    index = (nodes.children[index] ?? 0) > 0 && isClosed(index) ? (nodes.ends[index] ?? index + 1) : index + 1
  }
  return visible
}

/** Returns the depth at which containers start closed, so that about `limit` rows are visible. The root is open. */
export function openDepth(nodes: JsonNodes, limit: number): number {
  const perDepth: number[] = []
  for (const depth of nodes.depths) perDepth[depth] = (perDepth[depth] ?? 0) + 1
  let seen = 1
  for (let depth = 1; depth < perDepth.length; depth++) {
    seen += perDepth[depth] ?? 0
    if (seen > limit) return Math.max(1, depth - 1)
  }
  return Math.max(1, perDepth.length)
}

/** Returns the values whose key or text contains the words, ignoring case. */
export function matchingNodes(nodes: JsonNodes, words: string): Set<number> {
  const wanted = words.toLowerCase()
  const found = new Set<number>()
  for (let index = 0; index < nodes.kinds.length; index++) {
    const name = nodes.names[index]
    const hit =
      (nodes.values[index] ?? '').toLowerCase().includes(wanted) ||
      (typeof name === 'string' && name.toLowerCase().includes(wanted))
    if (hit) found.add(index)
  }
  return found
}

/** Returns these values and the containers around them, in order. */
export function withContainers(nodes: JsonNodes, found: ReadonlySet<number>): number[] {
  const shown = new Set<number>()
  for (const index of found)
    for (let at = index; at >= 0 && !shown.has(at); at = nodes.parents[at] ?? -1) shown.add(at)
  return [...shown].sort((one, other) => one - other)
}

/** Returns whether a JavaScript number would change this number: 9007199254740993, 1e400. */
export function isBeyondDouble(node: Pick<JsonNode, 'kind' | 'value'>): boolean {
  return node.kind === 'number' && !isExact(node.value, Number(node.value))
}
