import { isObject } from '#shared/json/exact-json.ts'
import { entriesOf, field, listField, oncePerObject, type Resolve, textField } from './json-value.ts'
import { type ValueSchema, valueSchema } from './value-schema.ts'

/** A schema with its references resolved and its `allOf` merged, as far as an import needs it. */
export type FlatSchema = {
  /** Without `null`, which every optional value may be. */
  readonly types: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** The values of `enum` or `const`. */
  readonly values: readonly unknown[]
  /** Its `oneOf` and `anyOf` with more than one alternative besides null. */
  readonly alternatives: readonly (readonly unknown[])[]
  readonly hasItems: boolean
  /** The schema of the items of an array: the first that is given. */
  readonly items: unknown
  readonly isFreeForm: boolean
  /** Whether it says which properties it has, if any. */
  readonly isClosed: boolean
  readonly isReadOnly: boolean
  readonly description: string | null
  /** Its hints about its values: the first of each of `hintKeywords`. */
  readonly keywords: ReadonlyMap<string, unknown>
  /** Why a part of it is unreadable; null if none is. */
  readonly error: string | null
}

/** Reads the schemas of one document. Caches each, because operations share them. */
export type Schemas = {
  flatten(schema: unknown): FlatSchema
  /** Returns a schema as a parameter has it. */
  valueSchema(schema: unknown): ValueSchema
}

export function createSchemas(resolve: Resolve): Schemas {
  const budget = { left: maxWork }
  const once = oncePerObject(schema => flatten(schema, resolve, budget))
  const flattenOnce = (schema: unknown) => once(targetOf(schema, resolve))
  const valueOnce = oncePerObject(schema => valueSchema(schema, resolve))
  return { flatten: flattenOnce, valueSchema: schema => valueOnce(Object(schema)) }
}

/**
 * The number of parts, fields and values that are read of all schemas together. Each schema is flattened once, but the
 * schemas that it refers to are read again as its parts. Without a limit, this grows with the square of their number.
 */
const maxWork = 1_000_000
const tooInvolved = 'the schemas of the document refer to each other too often'

const hintKeywords = [
  ...['default', 'example', 'examples', 'format', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  'discriminator',
]

/** Returns the target of a schema that is only a reference; otherwise the schema. */
function targetOf(schema: unknown, resolve: Resolve): object {
  if (!isObject(schema)) return {}
  if (!Object.hasOwn(schema, '$ref') || Object.keys(schema).length !== 1) return schema
  const resolved = resolve(schema)
  return 'value' in resolved && isObject(resolved.value) ? resolved.value : schema
}

/** Flattens a schema. Visits each part once and without recursion, so circular schemas end and the stack is safe. */
function flatten(schema: object, resolve: Resolve, budget: { left: number }): FlatSchema {
  const types = new Set<string>()
  const properties = new Map<string, unknown>()
  const required = new Set<string>()
  const values: unknown[] = []
  const alternatives: (readonly unknown[])[] = []
  let hasItems = false
  let items: unknown
  let isFreeForm = false
  let isClosed = false
  let isReadOnly = false
  const keywords = new Map<string, unknown>()
  let description: string | null = null
  let error: string | null = null

  const seen = new Set<unknown>()
  const waiting: unknown[] = [schema]
  while (waiting.length > 0) {
    const part = waiting.pop()
    if (!isObject(part) || seen.has(part)) continue
    if (budget.left <= 0) {
      error = tooInvolved
      break
    }
    seen.add(part)
    description ??= textField(part, 'description')
    const found: unknown[] = []
    if (Object.hasOwn(part, '$ref')) {
      const resolved = resolve(part)
      if ('error' in resolved) error ??= resolved.error
      else found.push(resolved.value)
    }
    for (const type of typesOf(part)) types.add(type)
    const ownProperties = entriesOf(field(part, 'properties'))
    for (const [name, property] of ownProperties) if (!properties.has(name)) properties.set(name, property)
    const ownRequired = listField(part, 'required')
    for (const name of ownRequired) if (typeof name === 'string') required.add(name)
    if (Object.hasOwn(part, 'const')) values.push(field(part, 'const'))
    const ownValues = listField(part, 'enum')
    for (const value of ownValues) values.push(value)
    for (const name of hintKeywords)
      if (!keywords.has(name) && Object.hasOwn(part, name)) keywords.set(name, field(part, name))
    items ??= field(part, 'items') ?? listField(part, 'prefixItems')[0]
    hasItems ||= Object.hasOwn(part, 'items') || Object.hasOwn(part, 'prefixItems')
    const additional = field(part, 'additionalProperties')
    isFreeForm ||= additional === true || isObject(additional)
    isClosed ||= additional === false || Object.hasOwn(part, 'properties')
    isReadOnly ||= field(part, 'readOnly') === true
    for (const keyword of ['oneOf', 'anyOf']) {
      const listed = listField(part, keyword)
      budget.left -= listed.length
      const choices = listed.filter(choice => field(choice, 'type') !== 'null')
      if (choices.length === 1) found.push(choices[0])
      else if (choices.length > 1) alternatives.push(choices)
    }
    const parts = [...found, ...listField(part, 'allOf')]
    for (const one of parts.toReversed()) waiting.push(one)
    budget.left -= 1 + parts.length + ownProperties.length + ownRequired.length + ownValues.length
  }
  return {
    types,
    properties,
    required,
    values,
    alternatives,
    hasItems,
    items,
    isFreeForm,
    isClosed,
    isReadOnly,
    description,
    keywords,
    error,
  }
}

function typesOf(schema: object): string[] {
  const type = field(schema, 'type')
  const all = Array.isArray(type) ? type : [type]
  return all.filter(one => typeof one === 'string').filter(one => one !== 'null')
}
