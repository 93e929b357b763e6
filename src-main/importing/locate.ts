import { walkJson } from '#shared/json/walk-json.ts'
import type { JsonPath } from './json-path.ts'

/** A place that is looked for: a path, and whether its last key is meant and not its value. */
export type Wanted = { readonly path: JsonPath; readonly atKey?: boolean | undefined }

/** Offsets in a text of the places asked for, in their order. Of what is absent: of what would hold it. */
export type Locate = (wanted: readonly Wanted[]) => number[]

/** The places looked for as a tree, so that one pass over a text finds them all. */
export type WantedTree = {
  readonly children: Map<string | number, WantedTree>
  value: number | null
  key: number | null
}

/** @returns a lookup into a valid JSON text, at the cost of one pass over it for each call. */
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
  /** The wanted node of each open container; undefined where nothing in it is wanted. */
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
