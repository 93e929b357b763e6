import { isObject as isObjectValue } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { entriesOf, field, oncePerObject, type Resolve } from './json-value.ts'
import { addParameter, examplesOf, type Inputs, maxParameters, textOf } from './parameters.ts'
import type { Schemas } from './schemas.ts'
import { cut } from './texts.ts'

const maxTypesShown = 200

/** Adds the fields of an operation's JSON body to its parameters. Reports any other body as omitted. */
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
  const body = 'fault' in resolved ? undefined : resolved.value
  // An action without its parameters would send {}, so it does not matter whether the body is required.
  const leaveOut = (reason: string) =>
    inputs.leftOut.push({ name: 'body', reason, path, loss: 'inexpressible' })
  if ('fault' in resolved) {
    leaveOut(resolved.fault)
    return
  }
  if (method === 'GET') {
    leaveOut('a GET has no body')
    return
  }

  const content = field(body, 'content')
  const { json, types } = isObjectValue(content) ? mediaTypes(content) : noMediaTypes
  if (json === undefined) {
    leaveOut(types === '' ? 'it has no content type' : `it is sent as ${types}, not as JSON`)
    return
  }
  const [type, media] = json
  if (!/^application\/(?:json\b|\*)|^\*/i.test(type)) inputs.headers['Content-Type'] = type
  const flat = schemas.flatten(field(media, 'schema'))
  const isObject = flat.types.has('object') || (flat.types.size === 0 && flat.properties.size > 0)
  if (flat.fault !== null) leaveOut(flat.fault)
  else if (flat.alternatives.length > 0)
    leaveOut('its schema has alternatives (oneOf, anyOf), which actions cannot express')
  else if (field(media, 'schema') === undefined) leaveOut('it has no schema')
  else if (!isObject) leaveOut('it is not an object with fields')
  else if (flat.properties.size === 0) leaveOut('its schema has no fields')
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
    const text = textOf(property, flatProperty, sample === undefined ? [] : [field(sample, name)])
    addParameter(inputs, name, schemas.carriedType(property), text, flat.required.has(name), path)
  }
  if (writable > 0 && inputs.parameters.length === before) leaveOut('none of its fields can be a parameter')
}

type MediaTypes = {
  readonly json: readonly [type: string, media: unknown] | undefined
  readonly types: string
}

const noMediaTypes: MediaTypes = { json: undefined, types: '' }

const mediaTypes = oncePerObject((content): MediaTypes => {
  const all = entriesOf(content)
  const types = all.map(([type]) => type).join(', ')
  return { json: all.find(([type]) => isJson(type)), types: cut(types, maxTypesShown) }
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
