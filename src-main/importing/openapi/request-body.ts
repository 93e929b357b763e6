import type { JsonPath } from '../json-path.ts'
import { entriesOf, field } from './json-value.ts'
import { addParameter, type Inputs, maxParameters, textOf } from './parameters.ts'
import type { Resolve } from './references.ts'
import type { Schemas } from './schemas.ts'

/** Adds the fields of an operation's JSON body to its parameters; says of any other body that it is left out. */
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
  const isRequired = field(body, 'required') === true
  const leaveOut = (reason: string) => inputs.leftOut.push({ name: 'body', reason, path, isRequired })
  if ('fault' in resolved) {
    leaveOut(resolved.fault)
    return
  }
  if (method === 'GET') {
    leaveOut('a GET is sent without a body')
    return
  }

  const content = entriesOf(field(body, 'content'))
  const json = content.find(([type]) => isJson(type))
  if (json === undefined) {
    const types = content.map(([type]) => type).join(', ')
    leaveOut(types === '' ? 'it is not said what it is' : `it is sent as ${types}, not as JSON`)
    return
  }
  const [type, media] = json
  if (!/^application\/json\b/i.test(type)) inputs.headers['Content-Type'] = type
  const flat = schemas.flatten(field(media, 'schema'))
  const isObject = flat.types.has('object') || (flat.types.size === 0 && flat.properties.size > 0)
  if (flat.fault !== null) leaveOut(flat.fault)
  else if (flat.alternatives.length > 0)
    leaveOut('its schema has alternatives (oneOf, anyOf), of which none is chosen')
  else if (!isObject) leaveOut('it is no object with fields, which the parameters become')
  else if (flat.properties.size === 0) leaveOut('its schema names no fields')
  const properties = [...flat.properties].slice(0, maxParameters)
  if (properties.length < flat.properties.size)
    leaveOut(`of its ${flat.properties.size} fields only the first ${maxParameters} are looked at`)
  for (const [name, property] of properties) {
    const flatProperty = schemas.flatten(property)
    // The other side sets it; a request does not hold it.
    if (flatProperty.isReadOnly) continue
    const text = textOf(property, flatProperty)
    addParameter(inputs, name, schemas.carriedType(property), text, flat.required.has(name), path)
  }
}

function isJson(type: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)
}
