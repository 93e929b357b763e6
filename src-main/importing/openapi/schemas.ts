import type { ParameterType } from '#shared/model/parameter.ts'
import { isObject } from '../zod-problems.ts'
import { entriesOf, field, listField, textField } from './json-value.ts'
import type { Resolve } from './references.ts'

/** A schema with its references followed and its `allOf` merged, as far as an import looks into it. */
export type FlatSchema = {
  /** Without `null`, which any value that is not required may be. */
  readonly types: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** The values of `enum` or `const`. */
  readonly values: readonly unknown[]
  /** Its `oneOf` and `anyOf`, where more than one alternative is left without null. */
  readonly alternatives: readonly (readonly unknown[])[]
  readonly hasItems: boolean
  readonly isFreeForm: boolean
  readonly isReadOnly: boolean
  readonly description: string | null
  /** Why a part of it cannot be read. */
  readonly fault: string | null
}

/** Reads the schemas of one document, each once however many operations share it. */
export type Schemas = {
  flatten(schema: unknown): FlatSchema
  /** The type of a parameter that carries values of a schema, or why none of the four does. */
  carriedType(schema: unknown): Carried
}

export function createSchemas(resolve: Resolve): Schemas {
  const flat = new WeakMap<object, FlatSchema>()
  const flattenOnce = (schema: unknown): FlatSchema => {
    const target = targetOf(schema, resolve)
    const known = flat.get(target)
    if (known !== undefined) return known
    const made = flatten(target, resolve)
    flat.set(target, made)
    return made
  }
  return { flatten: flattenOnce, carriedType: schema => carriedType(schema, flattenOnce) }
}

/** What a schema that is nothing but a reference refers to. */
function targetOf(schema: unknown, resolve: Resolve): object {
  if (!isObject(schema)) return {}
  if (Object.keys(schema).length !== 1 || !Object.hasOwn(schema, '$ref')) return schema
  const resolved = resolve(schema)
  return 'value' in resolved && isObject(resolved.value) ? resolved.value : schema
}

/** Goes through a schema and its parts, each once: circular ones end, and no stack can overflow. */
function flatten(schema: object, resolve: Resolve): FlatSchema {
  const types = new Set<string>()
  const properties = new Map<string, unknown>()
  const required = new Set<string>()
  const values: unknown[] = []
  const alternatives: (readonly unknown[])[] = []
  let hasItems = false
  let isFreeForm = false
  let isReadOnly = false
  let description: string | null = null
  let fault: string | null = null

  const seen = new Set<unknown>()
  const waiting: unknown[] = [schema]
  while (waiting.length > 0) {
    const part = waiting.pop()
    if (!isObject(part) || seen.has(part)) continue
    seen.add(part)
    description ??= textField(part, 'description')
    const found: unknown[] = []
    if (Object.hasOwn(part, '$ref')) {
      const resolved = resolve(part)
      if ('fault' in resolved) fault ??= resolved.fault
      else found.push(resolved.value)
    }
    for (const type of typesOf(part)) types.add(type)
    for (const [name, property] of entriesOf(field(part, 'properties')))
      if (!properties.has(name)) properties.set(name, property)
    for (const name of listField(part, 'required')) if (typeof name === 'string') required.add(name)
    if (Object.hasOwn(part, 'const')) values.push(field(part, 'const'))
    for (const value of listField(part, 'enum')) values.push(value)
    hasItems ||= Object.hasOwn(part, 'items') || Object.hasOwn(part, 'prefixItems')
    const additional = field(part, 'additionalProperties')
    isFreeForm ||= additional === true || isObject(additional)
    isReadOnly ||= field(part, 'readOnly') === true
    for (const keyword of ['oneOf', 'anyOf']) {
      const choices = listField(part, keyword).filter(choice => field(choice, 'type') !== 'null')
      if (choices.length === 1) found.push(choices[0])
      else if (choices.length > 1) alternatives.push(choices)
    }
    found.push(...listField(part, 'allOf'))
    waiting.push(...found.reverse())
  }
  return {
    types,
    properties,
    required,
    values,
    alternatives,
    hasItems,
    isFreeForm,
    isReadOnly,
    description,
    fault,
  }
}

function typesOf(schema: object): string[] {
  const type = field(schema, 'type')
  const all = Array.isArray(type) ? type : [type]
  return all.filter(one => typeof one === 'string').filter(one => one !== 'null')
}

export type Carried = { readonly type: ParameterType } | { readonly reason: string }

const listReason = 'it is a list, and a parameter is a string, number, boolean or object'
const carriedTypes = new Map<string, ParameterType>([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['object', 'object'],
])

/** How many alternatives within alternatives are looked at before a schema counts as too involved. */
const maxLookedAt = 200

function carriedType(schema: unknown, flatten: Schemas['flatten']): Carried {
  const waiting: unknown[] = [schema]
  const types = new Set<ParameterType>()
  for (let looked = 0; waiting.length > 0; looked++) {
    if (looked >= maxLookedAt) return { reason: 'its schema has too many alternatives' }
    const flat = flatten(waiting.pop())
    if (flat.fault !== null) return { reason: flat.fault }
    const own = ownTypes(flat)
    if (own.has('array')) return { reason: listReason }
    if (own.size === 0 && flat.alternatives.length > 0) waiting.push(...flat.alternatives.flat())
    else if (own.size === 0) return { reason: 'its schema does not say of what type it is' }
    for (const name of own) {
      const type = carriedTypes.get(name)
      if (type === undefined) return { reason: `it is of the type ${name}` }
      types.add(type)
    }
  }
  const [type, ...others] = types
  if (type === undefined || others.length > 0) return { reason: 'it may be of several types' }
  return { type }
}

/** The types that a schema states, else those that its other keywords let no doubt of. */
function ownTypes(flat: FlatSchema): ReadonlySet<string> {
  if (flat.types.size > 0) return flat.types
  const values = flat.values.filter(value => value !== null)
  if (values.length > 0) return new Set(values.map(value => (Array.isArray(value) ? 'array' : typeof value)))
  if (flat.hasItems) return new Set(['array'])
  return new Set(flat.properties.size > 0 || flat.isFreeForm ? ['object'] : [])
}
