import { walkJson } from './walk-json.ts'

/** Steps from the root of a JSON value to a value in it: keys and indices. */
export type JsonPath = readonly (string | number)[]

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
