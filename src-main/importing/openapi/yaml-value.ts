import { type Alias, type Document, isAlias, isMap, isNode, isScalar, isSeq, type YAMLMap } from 'yaml'

import { maxValues } from '../limits.ts'

export type YamlValue = {
  readonly value: unknown
  /** The nodes that aliases refer to. */
  readonly targets: ReadonlyMap<Alias, unknown>
}

/** An error that makes a document unreadable, with its offset. */
export class YamlError extends Error {
  readonly offset: number

  constructor(message: string, node: unknown) {
    super(message)
    this.offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  }
}

/** Fields that `<<` may merge. Chains of merges grow with the square of their number. */
const maxMerged = 100_000

/**
 * Returns the JSON value of a document, whose depth was checked. An alias returns the same object as its anchor, so
 * aliases of aliases cost nothing. The package's own conversion walks the whole document for each alias.
 *
 * @throws YamlError
 */
export function yamlValue(document: Document): YamlValue {
  const anchors = new Map<
    string,
    { readonly node: unknown; readonly value: unknown; readonly values: number }
  >()
  const targets = new Map<Alias, unknown>()
  let merged = 0
  /** Values read so far, including those that aliases repeat. */
  let values = 0

  function read(node: unknown): unknown {
    if (isAlias(node)) {
      const found = anchors.get(node.source)
      if (found === undefined)
        throw new YamlError(`The alias *${node.source.slice(0, 80)} has no anchor before it.`, node)
      targets.set(node, found.node)
      values += found.values
      if (values > maxValues) throw new YamlError(`The aliases repeat more than ${maxValues} values.`, node)
      return found.value
    }
    const before = values++
    const value = isSeq(node) ? node.items.map(read) : isMap(node) ? fieldsOf(node) : scalarOf(node)
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
      anchors.set(node.anchor, { node, value, values: values - before })
    return value
  }

  function fieldsOf(map: YAMLMap): object {
    const fields = {}
    for (const { key, value } of map.items) {
      const name = keyOf(key)
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') merge(fields, read(value), key)
      else set(fields, name, read(value))
    }
    return fields
  }

  /** Adds the missing fields of a merge key's sources. */
  function merge(fields: object, given: unknown, key: unknown): void {
    for (const source of Array.isArray(given) ? given : [given]) {
      if (typeof source !== 'object' || source === null || Array.isArray(source))
        throw new YamlError('Merge sources must be maps or map aliases.', key)
      for (const [name, value] of Object.entries(source)) {
        if (++merged > maxMerged)
          throw new YamlError(`The merge keys (<<) add more than ${maxMerged} fields.`, key)
        if (!Object.hasOwn(fields, name)) set(fields, name, value)
      }
    }
  }

  return { value: read(document.contents), targets }
}

function keyOf(key: unknown): string {
  if (!isScalar(key)) throw new YamlError('A key must be a string or a number.', key)
  return key.value === null ? '' : String(key.value)
}

function scalarOf(node: unknown): unknown {
  return isScalar(node) ? node.value : null
}

/** Defines a field. An assignment to `__proto__` would set the prototype instead. */
function set(fields: object, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true })
}
