import {
  CST,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  parseDocument,
} from 'yaml'
import { maxDepth } from '#shared/json/depth.ts'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { type Locate, offsetsOf, type WantedTree, wantedTree } from '#shared/json/locate.ts'
import { maxYamlTokens } from '../limits.ts'
import { oncePerObject } from './json-value.ts'
import { YamlError, type YamlValue, yamlValue } from './yaml-value.ts'

export type ReadYaml =
  | { readonly value: unknown; readonly locate: Locate; readonly problems: readonly SyntaxProblem[] }
  | { readonly errors: readonly SyntaxProblem[] }

/** Tokens that stand for no text. */
const marks: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR])

/** Bytes of YAML. Its parser takes ten times as long as that of JSON. */
export const maxYamlBytes = 4 * 1024 * 1024

const maxErrors = 20
const nestedTooDeep = `The document is nested deeper than ${maxDepth} levels.`

/** Messages that replace those of the package. */
const messages: Readonly<Partial<Record<ErrorCode, string>>> = {
  MULTIPLE_DOCS: 'The text contains more than one document.',
  // Its recursion has overflowed the stack.
  RESOURCE_EXHAUSTION: nestedTooDeep,
}

/** Parses a YAML 1.2 document to JSON values with their positions. Never throws. */
export function readYaml(text: string): ReadYaml {
  if (Buffer.byteLength(text) > maxYamlBytes) {
    const message = `The YAML document is larger than ${maxYamlBytes / 1024 / 1024} MiB. Convert it to JSON, which may be larger.`
    return { errors: [{ message, offset: 0 }] }
  }
  const tooMuch = findTooMuch(text)
  if (tooMuch !== null) return { errors: [tooMuch] }
  const document = parse(text)
  const errors = document.errors.slice(0, maxErrors).map(({ message, code, pos }) => ({
    message: messages[code] ?? sentence(message),
    offset: pos[0],
  }))
  if (errors.length > 0) return { errors }
  const twice: SyntaxProblem[] = []
  const tooDeep = inspect(document, twice)
  if (tooDeep !== null) return { errors: [{ message: nestedTooDeep, offset: tooDeep }] }
  try {
    const { value, targets } = yamlValue(document)
    return { value, locate: locateIn(document, targets), problems: twice }
  } catch (error) {
    if (error instanceof YamlError) return { errors: [error] }
    throw error
  }
}

function parse(text: string): Document {
  const { stackTraceLimit } = Error
  // The package creates an Error for every mistake, hundreds of thousands for a hostile text. Their stacks cost the most.
  Error.stackTraceLimit = 0
  try {
    // Its own check for duplicate keys is quadratic.
    return parseDocument(text, { uniqueKeys: false, prettyErrors: false })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/**
 * Finds, by the tokens alone, what would cost the parser too much: it needs several hundred bytes for each token, more
 * for each error, and a part of the stack for each level.
 */
function findTooMuch(text: string): SyntaxProblem | null {
  let tokens = 0
  let offset = 0
  /** Open brackets, and outside of them the indicators of this line, each of which may begin a level. */
  let brackets = 0
  let indicators = 0
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxYamlTokens) {
      const message = `The YAML document has more than ${maxYamlTokens} tokens. Convert it to JSON, which may have more.`
      return { message, offset: 0 }
    }
    const isMark = marks.has(token)
    if (!isMark && !isScalar) {
      if (token === '[' || token === '{') brackets++
      else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1)
      else if (token.startsWith('\n') || token.startsWith('\r')) indicators = 0
      else if (brackets === 0 && (token === '-' || token === '?' || token === ':')) indicators++
      if (brackets + indicators > maxDepth) return { message: nestedTooDeep, offset }
    }
    if (!isMark) offset += token.length
    isScalar = token === CST.SCALAR
  }
  return null
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
      if (keys.has(name) && name !== '<<' && twice.length < maxErrors)
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
