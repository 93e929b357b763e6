import { isObject } from '#shared/json/exact-json.ts'

export type Schema = Readonly<Record<string, unknown>>

/** A JSON Schema as people read it and fill it in: references are followed, and null is set apart. */
export type SchemaNode = {
  /** `date`, `one of 3`, `list of string`. */
  readonly label: string
  readonly about: string
} & (
  | { readonly kind: 'text'; readonly format: string | null }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly element: unknown }
  | { readonly kind: 'object'; readonly fields: readonly SchemaField[] }
  | { readonly kind: 'union'; readonly shapes: readonly unknown[] }
  /** Anything, or more than is understood here. */
  | { readonly kind: 'any' }
)
export type NodeKind = SchemaNode['kind']
/** A node of one kind. */
export type NodeOf<Kind extends NodeKind> = SchemaNode & { readonly kind: Kind }

export type SchemaField = { readonly name: string; readonly schema: unknown; readonly required: boolean }

/** References that lead to each other end here. */
const maxReferences = 16

/**
 * Returns what a schema says of its value. It may be anything that the checks of a schema have not seen yet.
 *
 * @param root the schema in which references are looked up.
 */
export function nodeOf(given: unknown, root: unknown): SchemaNode {
  const schema = followed(given, root)
  if (!isObject(schema)) return { kind: 'any', label: 'any', about: '' }
  const about = textOf(schema.description) || textOf(schema.title)
  return { about, ...shapeOf(schema, root) }
}

/** Each kind with what else it needs. */
type Shape = SchemaNode extends infer Node ? (Node extends SchemaNode ? Omit<Node, 'about'> : never) : never

function shapeOf(schema: Schema, root: unknown): Shape {
  if ('const' in schema) return choice([schema.const])
  if (Array.isArray(schema.enum)) return choice(schema.enum)
  const alternatives = listOf(schema.oneOf) ?? listOf(schema.anyOf)
  if (alternatives !== null) {
    const shapes = alternatives.filter(one => !isObject(one) || one.type !== 'null')
    return shapes.length === 1
      ? shapeOfOnly(shapes[0], root)
      : { kind: 'union', shapes, label: `one of ${shapes.length} shapes` }
  }
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter(type => type !== 'null')
    return types.length === 1
      ? shapeOf({ ...schema, type: types[0] }, root)
      : {
          kind: 'union',
          shapes: types.map(type => ({ ...schema, type })),
          label: types.join(' or ') || 'any',
        }
  }
  return ofType(schema, root)
}

function ofType(schema: Schema, root: unknown): Shape {
  switch (schema.type ?? impliedType(schema)) {
    case 'string':
      return { kind: 'text', format: textOf(schema.format) || null, label: textOf(schema.format) || 'string' }
    case 'number':
    case 'integer':
      return { kind: 'number', label: textOf(schema.type) }
    case 'boolean':
      return { kind: 'boolean', label: 'boolean' }
    case 'array':
      if (Array.isArray(schema.prefixItems)) return { kind: 'any', label: 'list' }
      return {
        kind: 'list',
        element: schema.items ?? true,
        label: `list of ${nodeOf(schema.items, root).label}`,
      }
    case 'object':
      return isObject(schema.properties) && !Array.isArray(schema.allOf)
        ? { kind: 'object', fields: fieldsOf(schema, schema.properties), label: 'object' }
        : { kind: 'any', label: 'object' }
    default:
      return { kind: 'any', label: 'any' }
  }
}

/** Returns the type that a schema without one means by its other keywords. */
function impliedType(schema: Schema): string | undefined {
  if (isObject(schema.properties)) return 'object'
  return 'items' in schema ? 'array' : undefined
}

function fieldsOf({ required }: Schema, properties: Schema): SchemaField[] {
  const names = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: names.has(name) }))
}

function shapeOfOnly(schema: unknown, root: unknown): Shape {
  const { about: _, ...shape } = nodeOf(schema, root)
  return shape
}

function choice(all: readonly unknown[]): Shape {
  const values = all.filter(value => value !== null)
  return { kind: 'choice', values, label: values.length === 1 ? 'constant' : `one of ${values.length}` }
}

/** Returns a schema without its reference: what it refers to, with what it says beside it. */
function followed(given: unknown, root: unknown): unknown {
  let schema = given
  for (let hops = 0; isObject(schema) && typeof schema.$ref === 'string'; hops++) {
    const { $ref, ...beside } = schema
    const target = hops < maxReferences ? targetOf($ref, root) : undefined
    if (!isObject(target)) return undefined
    schema = { ...target, ...beside }
  }
  return schema
}

/** Returns the schema at a JSON pointer into another one: `#/$defs/address`. */
function targetOf(ref: unknown, root: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
  const steps = ref.slice(1).split('/').slice(1).map(stepOf)
  return steps.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)]
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }, root)
}

function stepOf(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null)
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
