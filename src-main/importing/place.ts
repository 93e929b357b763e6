import { createPositions } from '#main/json/text-position.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import type { ImportIssue, Unsupported } from '#shared/model/import-preview.ts'
import type { Parsed } from './parse.ts'
import { formatPath, hideSecrets, type JsonPath, type Problem, ProblemList } from './problem.ts'

/** A place to find: the value at a path, or its key. */
type Wanted = { readonly path: JsonPath; readonly atKey?: boolean | undefined }

/** Returns the offsets of places in a text, in their order. For a missing value, returns that of its container. */
export type Locate = (wanted: readonly Wanted[]) => number[]

/** The wanted places as a tree, so that one pass over a text finds all of them. */
export type WantedTree = {
  readonly children: Map<string | number, WantedTree>
  value: number | null
  key: number | null
}

/** Returns a lookup into a valid JSON text. Each call passes over the text once. */
export function locateInJson(text: string): Locate {
  return wanted => {
    const root = wantedTree(wanted)
    if (wanted.length > 0) fill(text, root)
    return offsetsOf(wanted, root)
  }
}

export function wantedTree(wanted: readonly Wanted[]): WantedTree {
  const root = newTree()
  for (const { path } of wanted) {
    let node = root
    for (const step of path) {
      const child = node.children.get(step) ?? newTree()
      node.children.set(step, child)
      node = child
    }
  }
  return root
}

export function offsetsOf(wanted: readonly Wanted[], root: WantedTree): number[] {
  return wanted.map(({ path, atKey = false }) => {
    let node: WantedTree | undefined = root
    let nearest = root.value ?? 0
    for (const step of path) {
      node = node.children.get(step)
      if (node === undefined) break
      nearest = node.value ?? nearest
    }
    return (atKey ? node?.key : null) ?? nearest
  })
}

function newTree(): WantedTree {
  return { children: new Map(), value: null, key: null }
}

function fill(text: string, root: WantedTree): void {
  /** The wanted node of each open container; undefined if nothing in it is wanted. */
  const open: (WantedTree | undefined)[] = []
  walkJson(text, {
    key(name, offset) {
      const node = open.at(-1)?.children.get(name)
      if (node !== undefined) node.key = offset
    },
    value(step, kind, offset) {
      const node = step === null ? root : open.at(-1)?.children.get(step)
      if (node !== undefined) node.value = offset
      if (kind === 'object' || kind === 'array') open.push(node)
    },
    leave() {
      open.pop()
    },
  })
}

type Placed = {
  readonly issues: ImportIssue[]
  readonly unsupported: Unsupported[]
  /** The lines of the paths, in their order. */
  readonly lines: number[]
}

/** Adds lines and columns to problems and omissions, sorts them by position, and finds the lines of paths. */
export function place(
  parsed: Pick<Parsed, 'text' | 'locate' | 'omissions'>,
  problems: readonly Problem[],
  paths: readonly JsonPath[] = [],
): Placed {
  const list = new ProblemList()
  list.add(problems)
  const listed = list.all()
  const positionOf = createPositions(parsed.text)
  const offsets = parsed.locate([...listed, ...paths.map(path => ({ path }))])
  const found = listed.map(({ path, message, severity, offset, code, variable, count }, index) => ({
    path: cut(formatPath(path)),
    message: cut(hideSecrets(message)),
    severity,
    offset: offset ?? offsets[index] ?? 0,
    ...(code !== undefined && { code }),
    ...(variable !== undefined && { variable }),
    ...(count !== undefined && { count }),
  }))
  const omissions = parsed.omissions.map(one => ({
    ...one,
    name: cut(hideSecrets(one.name)),
    ...(one.part !== undefined && { part: cut(hideSecrets(one.part)) }),
    reason: cut(hideSecrets(one.reason)),
  }))
  const left = omissions.map(({ name, reason, offset }) => ({
    path: '',
    message: `${name}: ${reason}`,
    code: 'left_out' as const,
    severity: 'warning' as const,
    offset,
  }))
  const issues = withoutRepeats([...found, ...left])
    .sort((one, other) => one.offset - other.offset)
    .map(({ offset, severity, ...issue }) => ({ ...issue, ...positionOf(offset), severity }))
  const unsupported = omissions.map(({ name, part = null, reason, offset, toolName = null }) => ({
    name,
    part,
    reason,
    toolName,
    ...positionOf(offset),
  }))
  const lines = paths.map((_path, index) => positionOf(offsets[listed.length + index] ?? 0).line)
  return { issues, unsupported, lines }
}

/** Characters of a message or path. Names in a document can be as long as the document. */
const maxShown = 2000

function cut(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

/** Removes repeated problems, which a repeated part of a document causes. */
function withoutRepeats<Found extends { path: string; message: string; offset: number }>(
  found: readonly Found[],
): Found[] {
  const byContent = new Map<string, Found>()
  for (const one of found) byContent.set(`${one.offset} ${one.path} ${one.message}`, one)
  return [...byContent.values()]
}
