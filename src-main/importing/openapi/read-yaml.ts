import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { maxDepth } from '../inspect-json.ts'
import { type Locate, offsetsOf, type WantedTree, wantedTree } from '../locate.ts'

export type ReadYaml =
  | { readonly value: unknown; readonly locate: Locate; readonly problems: readonly SyntaxProblem[] }
  | { readonly faults: readonly SyntaxProblem[] }

/** Bytes of YAML: it takes the parser ten times as long as JSON, and everything else waits meanwhile. */
export const maxYamlBytes = 4 * 1024 * 1024

const maxFaults = 20

/** Reads a YAML document (1.2) as JSON values, with the places of its parts. Never throws. */
export function readYaml(text: string): ReadYaml {
  if (Buffer.byteLength(text) > maxYamlBytes) {
    const message = `A YAML document may have ${maxYamlBytes / 1024 / 1024} MiB; as JSON it may have more.`
    return { faults: [{ message, offset: 0 }] }
  }
  // Its own check for keys that come twice takes the square of their number.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, merge: true })
  const faults = document.errors.slice(0, maxFaults).map(({ message, code, pos }) => ({
    message: code === 'MULTIPLE_DOCS' ? 'The text holds more than one document.' : sentence(message),
    offset: pos[0],
  }))
  if (faults.length > 0) return { faults }
  const twice: SyntaxProblem[] = []
  const tooDeep = inspect(document, twice)
  if (tooDeep !== null)
    return {
      faults: [{ message: `The document is nested deeper than ${maxDepth} levels.`, offset: tooDeep }],
    }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    return { value, locate: locateIn(document), problems: twice }
  } catch (error) {
    const message = error instanceof Error ? sentence(error.message) : 'The document cannot be read.'
    return { faults: [{ message, offset: 0 }] }
  }
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`
}

/** Looks for keys that come twice. @returns the offset of what is nested too deep; null if nothing is. */
function inspect(document: Document, twice: SyntaxProblem[]): number | null {
  const waiting: { node: unknown; depth: number }[] = [{ node: document.contents, depth: 1 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next
    if (!isMap(node) && !isSeq(node)) continue
    if (depth > maxDepth) return node.range?.[0] ?? 0
    if (isSeq(node)) for (const item of node.items) waiting.push({ node: item, depth: depth + 1 })
    if (!isMap(node)) continue
    const keys = new Set<string>()
    for (const { key, value } of node.items) {
      waiting.push({ node: key, depth: depth + 1 }, { node: value, depth: depth + 1 })
      if (!isScalar(key)) continue
      const name = String(key.value)
      if (keys.has(name) && name !== '<<' && twice.length < maxFaults)
        twice.push({
          message: `The key ${JSON.stringify(name)} is there twice; the last one counts.`,
          offset: key.range?.[0] ?? 0,
        })
      keys.add(name)
    }
  }
  return null
}

function locateIn(document: Document): Locate {
  return wanted => {
    const root = wantedTree(wanted)
    fill(document, document.contents, root)
    return offsetsOf(wanted, root)
  }
}

/** No deeper than the paths that are looked for. */
function fill(document: Document, given: unknown, tree: WantedTree): void {
  const node = isAlias(given) ? given.resolve(document) : given
  if (isScalar(node) || isMap(node) || isSeq(node)) tree.value = node.range?.[0] ?? null
  if (tree.children.size === 0) return
  if (isSeq(node))
    for (const [index, child] of tree.children)
      if (typeof index === 'number') fill(document, node.items[index], child)
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue
    const child = tree.children.get(String(key.value))
    if (child === undefined) continue
    child.key = key.range?.[0] ?? null
    fill(document, value, child)
  }
}
