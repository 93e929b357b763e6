import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Pair, parseDocument } from 'yaml'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { type Locate, offsetsOf, type WantedTree, wantedTree } from '#shared/json/locate.ts'
import { maxDepth, maxYamlTokens } from '../limits.ts'
import { oncePerObject } from './json-value.ts'
import { YamlFault, type YamlValue, yamlValue } from './yaml-value.ts'

export type ReadYaml =
  | { readonly value: unknown; readonly locate: Locate; readonly problems: readonly SyntaxProblem[] }
  | { readonly faults: readonly SyntaxProblem[] }

/** Bytes of YAML. Its parser takes ten times as long as that of JSON. */
export const maxYamlBytes = 4 * 1024 * 1024

const maxFaults = 20

/** Parses a YAML 1.2 document to JSON values with their positions. Never throws. */
export function readYaml(text: string): ReadYaml {
  if (Buffer.byteLength(text) > maxYamlBytes) {
    const message = `The YAML document is larger than ${maxYamlBytes / 1024 / 1024} MiB. Convert it to JSON, which may be larger.`
    return { faults: [{ message, offset: 0 }] }
  }
  if (hasTooManyTokens(text)) {
    const message = `The YAML document has more than ${maxYamlTokens} tokens. Convert it to JSON, which may have more.`
    return { faults: [{ message, offset: 0 }] }
  }
  const document = parse(text)
  const faults = document.errors.slice(0, maxFaults).map(({ message, code, pos }) => ({
    message: code === 'MULTIPLE_DOCS' ? 'The text contains more than one document.' : sentence(message),
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
    const { value, targets } = yamlValue(document)
    return { value, locate: locateIn(document, targets), problems: twice }
  } catch (error) {
    if (error instanceof YamlFault) return { faults: [error] }
    throw error
  }
}

function parse(text: string): Document {
  const { stackTraceLimit } = Error
  // The package creates an Error for every fault, hundreds of thousands for a hostile text. Their stacks cost the most.
  Error.stackTraceLimit = 0
  try {
    // Its own check for duplicate keys is quadratic.
    return parseDocument(text, { uniqueKeys: false, prettyErrors: false })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Counts the tokens before parsing: the parser needs several hundred bytes for each, and more for each fault. */
function hasTooManyTokens(text: string): boolean {
  if (text.length < maxYamlTokens) return false
  let tokens = 0
  for (const _token of new Lexer().lex(text)) if (++tokens > maxYamlTokens) return true
  return false
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`
}

/** Finds duplicate keys. Returns the offset of the first node that is nested too deep; null if none is. */
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
          message: `The key ${JSON.stringify(name)} is repeated. The last one counts.`,
          offset: key.range?.[0] ?? 0,
        })
      keys.add(name)
    }
  }
  return null
}

function locateIn(document: Document, targets: YamlValue['targets']): Locate {
  return wanted => {
    const root = wantedTree(wanted)
    fill(document.contents, root, targets)
    return offsetsOf(wanted, root)
  }
}

/** Fills in the offsets of the wanted paths. Its recursion is as deep as those paths. */
function fill(given: unknown, tree: WantedTree, targets: YamlValue['targets']): void {
  const node = isAlias(given) ? targets.get(given) : given
  if (isScalar(node) || isMap(node) || isSeq(node)) tree.value = node.range?.[0] ?? null
  for (const [step, child] of tree.children) {
    if (isSeq(node) && typeof step === 'number') fill(node.items[step], child, targets)
    if (!isMap(node)) continue
    const pair = pairsByKey(node).get(String(step))
    if (pair === undefined) continue
    child.key = isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null
    fill(pair.value, child, targets)
  }
}

/** Cached for each map, because many aliases can refer to the same one. */
const pairsByKey = oncePerObject(map => {
  const pairs = new Map<string, Pair>()
  for (const pair of isMap(map) ? map.items : [])
    if (isScalar(pair.key)) pairs.set(String(pair.key.value), pair)
  return pairs
})
