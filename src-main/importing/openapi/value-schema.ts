import { isObject } from '#shared/json/exact-json.ts'
import { keywordNamed } from '#shared/json-schema/keywords.ts'
import { schemaProblems } from '#shared/json-schema/schema-problems.ts'
import { entriesOf, field, listField, type Resolve, textField } from './json-value.ts'
import { cut } from './texts.ts'

type Schema = Record<string, unknown>

/** The JSON Schema of a parameter's value; `cutBecause` says why it is only a type. */
export type ValueSchema = { readonly schema: Schema; readonly cutBecause: string | null }

/** Schemas that one value's schema is made of. More are more than 64 KiB. */
const maxParts = 3000
const maxDescription = 600
const maxLevels = 60
const maxName = 60

class Unusable extends Error {}

/**
 * Returns the schema of a document as JSON Schema 2020-12 that refers to nothing outside itself, for the values of a
 * request: `nullable` and other keywords of OpenAPI 3.0 are translated, `allOf` of objects is merged, read-only fields and
 * what only describes are left out. One that is too large, or that cannot be checked, is cut to its type. Pure.
 */
export function valueSchema(given: unknown, resolve: Resolve): ValueSchema {
  const names = new Map<object, string>()
  const defs = new Map<string, Schema | boolean>()
  const waiting: { readonly name: string; readonly target: Schema }[] = []
  let parts = 0

  /** Returns the name in `$defs` of a schema that is referred to, which is converted later: it may refer to itself. */
  function nameOf(target: Schema, reference: string): string {
    const known = names.get(target)
    if (known !== undefined) return known
    const wanted = cut(
      reference
        .split('/')
        .at(-1)
        ?.replace(/[^\w.-]+/g, '_') || 'schema',
      maxName,
    )
    let name = wanted
    for (let index = 2; defs.has(name); index++) name = `${wanted}_${index}`
    names.set(target, name)
    defs.set(name, true)
    waiting.push({ name, target })
    return name
  }

  function convert(value: unknown, levels: number): Schema | boolean {
    if (typeof value === 'boolean') return value
    if (!isObject(value)) return {}
    const reference = field(value, '$ref')
    if (typeof reference !== 'string') return convertObject(value, levels)
    const resolved = resolve(value)
    if ('error' in resolved) throw new Unusable(resolved.error)
    const { value: target } = resolved
    if (!isObject(target)) return {}
    const isShared = Object.hasOwn(target, 'properties') || hasAlternatives(target)
    return isShared ? { $ref: `#/$defs/${nameOf(target, reference)}` } : convertObject(target, levels)
  }

  function convertObject(value: Schema, levels: number): Schema {
    if (++parts > maxParts || levels > maxLevels) throw new Unusable('it is too large')
    const merged = mergeAllOf(value, resolve)
    const made: Schema = {}
    for (const [name, own] of Object.entries(merged)) {
      const takes =
        name === 'title' || name === '$defs' || name === 'definitions' ? 'nothing' : keywordNamed(name)?.takes
      const below = (one: unknown) => convert(one, levels + 1)
      if (name === 'default') made.default = own
      else if (name === 'description') made.description = cut(textField(merged, name) ?? '', maxDescription)
      else if (takes === 'schema') made[name] = below(own)
      else if (takes === 'schemas') made[name] = listField(merged, name).map(below)
      else if (takes === 'schemasByName')
        made[name] = Object.fromEntries(
          entriesOf(own).flatMap(([key, one]) => (isReadOnly(one) ? [] : [[key, below(one)]])),
        )
      else if (takes !== undefined && takes !== 'nothing') made[name] = own
    }
    return translated(merged, made)
  }

  /** Returns whether the other side sets a field. */
  function isReadOnly(property: unknown): boolean {
    const resolved = resolve(property)
    return 'value' in resolved && field(resolved.value, 'readOnly') === true
  }

  try {
    const schema = convert(given, 0)
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      defs.set(next.name, convertObject(next.target, 0))
    const whole = typeof schema === 'boolean' ? {} : schema
    const made = defs.size === 0 ? whole : { ...whole, $defs: Object.fromEntries(defs) }
    const [problem] = schemaProblems(made)
    return problem === undefined
      ? { schema: made, cutBecause: null }
      : { schema: {}, cutBecause: [...problem.path, problem.message.replace(/\.$/, '')].join(' ') }
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { schema: {}, cutBecause: error.message }
  }
}

const hasAlternatives = (value: object) =>
  ['oneOf', 'anyOf', 'allOf'].some(name => Object.hasOwn(value, name))

/** Translates keywords of OpenAPI 3.0 and of earlier drafts, and drops those of the wrong form. */
function translated(given: Schema, made: Schema): Schema {
  const {
    nullable,
    readOnly: _,
    ...rest
  } = { nullable: field(given, 'nullable') === true, readOnly: null, ...made }
  const schema: Schema = rest
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (schema[exclusive] === true) {
      schema[exclusive] = schema[limit]
      delete schema[limit]
    }
    if (typeof schema[exclusive] === 'boolean' || schema[exclusive] === undefined) delete schema[exclusive]
  }
  if (!Array.isArray(schema.required)) delete schema.required
  else {
    const properties = isObject(given.properties) ? given.properties : {}
    const kept = schema.required.filter(
      name =>
        !(Object.hasOwn(properties, String(name)) && !Object.hasOwn(Object(schema.properties), String(name))),
    )
    if (kept.length > 0) schema.required = kept
    else delete schema.required
  }
  if (Array.isArray(schema.enum) && schema.enum.length === 0) delete schema.enum
  if (schema.type === 'string' && schema.format === 'binary') {
    delete schema.format
    schema.contentEncoding = 'base64'
  }
  if (!nullable) return schema
  // Some documents say it beside alternatives too, where the standard gives it no meaning.
  for (const name of ['oneOf', 'anyOf'])
    if (Array.isArray(schema[name])) schema[name] = [...schema[name], { type: 'null' }]
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null]
  if (typeof schema.type === 'string') schema.type = [schema.type, 'null']
  return schema
}

/** Keywords of objects that can be merged with those of others. */
const mergeable = new Set([
  'type',
  'properties',
  'required',
  'description',
  'title',
  'allOf',
  'example',
  'nullable',
])

/** Returns a schema with its `allOf` merged into it, if all of them only describe fields of an object. */
function mergeAllOf(schema: Schema, resolve: Resolve): Schema {
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf: _, ...own } = schema
  const parts: Schema[] = [own]
  const seen = new Set<unknown>()
  const waiting = schema.allOf.toReversed()
  while (waiting.length > 0) {
    const next: unknown = waiting.pop()
    const resolved = resolve(next)
    const part = 'value' in resolved ? resolved.value : null
    if (!isObject(part) || seen.has(part)) return schema
    seen.add(part)
    waiting.push(...listField(part, 'allOf').toReversed())
    parts.push(part)
  }
  const isPlain = (part: Schema, index: number) =>
    Object.keys(part).every(name => mergeable.has(name) || name.startsWith('x-')) || index === 0
  const types = new Set(parts.map(part => part.type).filter(type => type !== undefined))
  const names = parts.flatMap(part => Object.keys(Object(part.properties)))
  if (!parts.every(isPlain) || types.size > 1 || new Set(names).size < names.length) return schema
  return {
    ...own,
    ...(types.size === 1 && { type: [...types][0] }),
    ...(names.length > 0 && { properties: Object.assign({}, ...parts.map(part => Object(part.properties))) }),
    ...(parts.some(part => Array.isArray(part.required)) && {
      required: [...new Set(parts.flatMap(part => listField(part, 'required')))],
    }),
    ...(own.description === undefined && { description: parts.find(part => part.description)?.description }),
  }
}
