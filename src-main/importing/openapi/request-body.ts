import { isObject as isObjectValue } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { entriesOf, field, oncePerObject, type Resolve } from './json-value.ts'
import { addParameter, examplesOf, type Inputs, type LeftOut, maxParameters, textOf } from './parameters.ts'
import type { FlatSchema, Schemas } from './schemas.ts'
import { cut } from './texts.ts'

const maxTypesShown = 200

/**
 * Adds the fields of an operation's JSON body to its parameters. Reports any other body as omitted, unless it has nothing
 * to give.
 */
export function readRequestBody(
  operation: unknown,
  operationPath: JsonPath,
  method: string,
  inputs: Inputs,
  resolve: Resolve,
  schemas: Schemas,
): void {
  const given = field(operation, 'requestBody')
  if (given === undefined) return
  const path = [...operationPath, 'requestBody']
  const resolved = resolve(given)
  const body = 'error' in resolved ? undefined : resolved.value
  // An action without its parameters would send {}, so it does not matter whether a body with fields is required.
  const leaveOut = (reason: string, loss: LeftOut['loss'] = 'inexpressible') =>
    inputs.leftOut.push({ name: 'body', reason, path, loss })
  if ('error' in resolved) {
    leaveOut(resolved.error)
    return
  }
  const content = field(body, 'content')
  const { json, types, all } = isObjectValue(content) ? mediaTypes(content) : noMediaTypes
  const isRequired = field(body, 'required') === true
  if (method === 'GET') {
    const extent = extentOf(all, schemas)
    const isNeeded = extent === 'needed' || (isRequired && extent !== 'nothing')
    if (extent !== 'nothing') leaveOut('a GET has no body', isNeeded ? 'inexpressible' : null)
    return
  }
  if (json === undefined) {
    if (!isRequired && extentOf(all, schemas) === 'nothing') return
    leaveOut(types === '' ? 'it has no content type' : `it is sent as ${types}, not as JSON`)
    return
  }
  const [type, media] = json
  if (!/^application\/(?:json\b|\*)|^\*/i.test(type)) inputs.headers['Content-Type'] = type
  const extent = extentOf([media], schemas)
  if (extent === 'nothing') return
  const schema = field(media, 'schema')
  const flat = schemas.flatten(schema)
  const isObject = flat.types.has('object') || (flat.types.size === 0 && flat.properties.size > 0)
  if (extent === 'unknown') {
    const reason = schema === undefined ? 'it has no schema' : 'its schema has no fields'
    leaveOut(reason, isRequired ? 'inexpressible' : null)
  } else if (flat.error !== null) leaveOut(flat.error)
  else if (flat.alternatives.length > 0)
    leaveOut('its schema has alternatives (oneOf, anyOf), which actions cannot express')
  else if (!isObject) leaveOut('it is not an object with fields')
  else if (flat.properties.size === 0) leaveOut('its schema has no fields')
  for (const name of undescribed(flat))
    inputs.leftOut.push({
      name,
      reason: 'the schema requires it, but does not describe it',
      path,
      loss: 'required',
    })
  const sample = [...examplesOf(media), flat.keywords.get('example')].find(isObjectValue)
  const properties = firstOf(flat.properties, maxParameters)
  if (properties.length < flat.properties.size)
    leaveOut(`only the first ${maxParameters} of its ${flat.properties.size} fields are read`)
  const before = inputs.parameters.length
  let writable = 0
  for (const [name, property] of properties) {
    const flatProperty = schemas.flatten(property)
    // The other side sets read-only fields. Requests do not contain them.
    if (flatProperty.isReadOnly) continue
    writable++
    const isNeeded = flat.required.has(name)
    const text = textOf(property, flatProperty, sample === undefined ? [] : [field(sample, name)], isNeeded)
    addParameter(inputs, name, schemas.carriedType(property), text, isNeeded, path)
  }
  if (writable > 0 && inputs.parameters.length === before) leaveOut('none of its fields can be a parameter')
}

/**
 * The input that a body takes: no field at all, fields that may be left out, or more than that. It is `unknown` if the
 * document describes an object, or any value, without describing its fields.
 */
type Extent = 'nothing' | 'unknown' | 'fields' | 'needed'

/** Media types of a body that are looked at. */
const maxMedia = 20

function extentOf(all: readonly unknown[], schemas: Schemas): Extent {
  if (all.length > maxMedia) return 'needed'
  const extents = all.map(media => mediaExtent(field(media, 'schema'), schemas))
  return (['needed', 'fields', 'unknown'] as const).find(one => extents.includes(one)) ?? 'nothing'
}

function mediaExtent(schema: unknown, { flatten }: Schemas): Extent {
  const flat = flatten(schema)
  const { types, properties } = flat
  if (flat.error !== null || flat.required.size > 0) return 'needed'
  if (flat.alternatives.length > 0 || flat.isFreeForm) return 'fields'
  const isObject = types.has('object') || (types.size === 0 && !flat.hasItems && flat.values.length === 0)
  if (!isObject || types.size > 1) return 'needed'
  const looked = firstOf(properties, maxParameters)
  // The other side sets read-only fields.
  const isGiven = ([, property]: [string, unknown]) => !flatten(property).isReadOnly
  if (looked.length < properties.size || looked.some(isGiven)) return 'fields'
  return flat.isClosed ? 'nothing' : 'unknown'
}

const maxUndescribed = 20

/** Returns the first names that a schema requires without describing them. Many operations can share it. */
function undescribed(flat: FlatSchema): readonly string[] {
  const known = undescribedOf.get(flat)
  if (known !== undefined) return known
  const names = [...flat.required].filter(name => !flat.properties.has(name)).slice(0, maxUndescribed)
  undescribedOf.set(flat, names)
  return names
}
const undescribedOf = new WeakMap<FlatSchema, readonly string[]>()

type MediaTypes = {
  readonly json: readonly [type: string, media: unknown] | undefined
  readonly types: string
  readonly all: readonly unknown[]
}

const noMediaTypes: MediaTypes = { json: undefined, types: '', all: [] }

const mediaTypes = oncePerObject((content): MediaTypes => {
  const all = entriesOf(content)
  const types = all.map(([type]) => type).join(', ')
  return {
    json: all.find(([type]) => isJson(type)),
    types: cut(types, maxTypesShown),
    all: all.map(([, media]) => media),
  }
})

/** Returns the first entries without copying all of them: many operations can share a schema. */
function firstOf(properties: ReadonlyMap<string, unknown>, count: number): [string, unknown][] {
  const first: [string, unknown][] = []
  for (const entry of properties) {
    if (first.length >= count) break
    first.push(entry)
  }
  return first
}

function isJson(type: string): boolean {
  return /^(?:application\/(?:(?:[\w.+-]+\+)?json|\*)|\*\/\*)\s*(?:;|$)/i.test(type)
}
