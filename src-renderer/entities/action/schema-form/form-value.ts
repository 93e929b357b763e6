import { isObject, numberText } from '#shared/json/exact-json.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import { nodeOf, type SchemaNode } from '../schema-node.ts'

/** Deeper values, such as those of a schema that contains itself, are JSON. */
const maxDepth = 4

/** Returns whether the form has fields for a value; all others are JSON. Undefined is one that is left out. */
export function hasFields(node: SchemaNode, value: unknown, depth: number): boolean {
  if (node.kind === 'any' || node.kind === 'union' || depth > maxDepth) return false
  if (value === undefined) return true
  switch (node.kind) {
    case 'list':
      return Array.isArray(value)
    case 'object':
      return isObject(value) && Object.keys(value).every(key => node.fields.some(({ name }) => name === key))
    case 'boolean':
      return typeof value === 'boolean'
    case 'text':
      return typeof value === 'string'
    // What is not a number yet is kept as its text, which the schema refuses.
    case 'number':
      return typeof value === 'string' || numberText(value) !== null
    // An element that is not chosen yet is an empty text.
    case 'choice':
      return value === '' || node.values.some(one => JSON.stringify(one) === JSON.stringify(value))
  }
}

/** Returns the value of a new element, or of an object that is added. */
export function blankOf(schema: unknown, root: unknown): unknown {
  switch (nodeOf(schema, root).kind) {
    case 'list':
      return []
    case 'object':
      return {}
    case 'boolean':
      return false
    case 'union':
    case 'any':
      return null
    default:
      return ''
  }
}

/** Returns an object with one of its fields changed, in the order of its schema. Undefined leaves it out. */
export function withField(
  object: Readonly<Record<string, unknown>>,
  order: readonly { readonly name: string }[],
  name: string,
  value: unknown,
): Record<string, unknown> {
  const next = new Map([...Object.entries(object), [name, value] as const])
  return Object.fromEntries(
    order.flatMap(field => (next.get(field.name) === undefined ? [] : [[field.name, next.get(field.name)]])),
  )
}

/** Returns the schema of a parameter's argument. */
export function schemaOf({ type, isList, schema }: Parameter): {
  readonly schema: unknown
  readonly root: unknown
} {
  const one = schema ?? { type: parameterKinds[type].schemaType }
  return { schema: isList === true ? { type: 'array', items: one } : one, root: one }
}
