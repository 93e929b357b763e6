import { isObject as isObjectValue } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { bodyFormOf } from '#shared/request/write-request.ts'
import { entriesOf, field, oncePerObject, type Resolve, textField } from './json-value.ts'
import {
  addParameter,
  examplesOf,
  type Inputs,
  type LeftOut,
  maxParameters,
  type Source,
  stylesOf,
} from './parameters.ts'
import type { FlatSchema, Schemas } from './schemas.ts'

/** Adds the body of an operation to its parameters: its fields, or one parameter that is the whole body. */
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
  const leaveOut = (reason: string, loss: LeftOut['loss'] = 'inexpressible') =>
    inputs.leftOut.push({ name: 'body', reason, path, loss })
  if ('error' in resolved) {
    leaveOut(resolved.error)
    return
  }
  const body = resolved.value
  const content = field(body, 'content')
  const all = isObjectValue(content) ? mediaTypes(content) : []
  const isRequired = field(body, 'required') === true
  const extent = extentOf(
    all.map(([, media]) => media),
    schemas,
  )
  if (method === 'GET') {
    const isNeeded = extent === 'needed' || (isRequired && extent !== 'nothing')
    if (extent !== 'nothing') leaveOut('a GET has no body', isNeeded ? 'inexpressible' : null)
    return
  }
  const chosen = chooseMedia(all)
  if (chosen === undefined) {
    if (isRequired || extent !== 'nothing') leaveOut('it has no content type')
    return
  }
  inputs.sendsBody = true
  const [type, media] = chosen
  if (!isPlainJson(type)) inputs.headers['Content-Type'] = type
  const schema = field(media, 'schema')
  const flat = schemas.flatten(schema)
  if (flat.error !== null) {
    leaveOut(flat.error)
    return
  }
  const form = bodyFormOf(isPlainJson(type) ? null : type)
  const isObject = flat.types.has('object') || (flat.types.size === 0 && flat.properties.size > 0)
  const isOfFields =
    isObject &&
    flat.types.size < 2 &&
    flat.alternatives.length === 0 &&
    flat.properties.size > 0 &&
    flat.properties.size + inputs.parameters.length <= maxParameters &&
    form !== 'other'
  if (!isOfFields) {
    if (form === 'json' && extent === 'nothing') return
    const whole =
      form === 'other' ? { type: 'string', ...(isBinary(schema, type) && { format: 'binary' }) } : schema
    const examples = examplesOf(media)
    const source = { name: 'body', schema: whole ?? {}, declared: body, examples, isRequired, path }
    if (form === 'json' || form === 'other') addParameter(inputs, { ...source, in: 'entireBody' }, schemas)
    else if (extent !== 'nothing' && flat.types.size > (isObject ? 1 : 0))
      leaveOut('its form is not an object')
    else if (extent !== 'nothing') {
      // The keys of one argument are its fields.
      const isKnown = isObject || flat.alternatives.length > 0
      const free = { ...source, ...(!isKnown && { schema: { type: 'object' } }) }
      const styles = { list: 'repeat', object: 'fields' } as const
      addParameter(inputs, { ...free, in: 'body', isRequired: extent === 'needed', styles }, schemas)
    }
    return
  }
  for (const name of undescribed(flat))
    inputs.leftOut.push({
      name,
      reason: 'the schema requires it, but does not describe it',
      path,
      loss: 'required',
    })
  const sample = [...examplesOf(media), flat.keywords.get('example')].find(isObjectValue)
  const encoding = field(media, 'encoding')
  for (const [name, property] of flat.properties) {
    // The other side sets read-only fields. Requests do not contain them.
    if (schemas.flatten(property).isReadOnly) continue
    const examples = sample === undefined ? [] : [field(sample, name)]
    // A call without arguments may send a body too, so it does not matter whether a body with fields is required.
    const isNeeded = flat.required.has(name)
    const styles = form === 'json' ? undefined : encodedStyles(field(encoding, name))
    const source = {
      name,
      schema: property,
      declared: property,
      examples,
      isRequired: isNeeded,
      path,
      styles,
    }
    addParameter(inputs, { ...source, in: 'body' }, schemas)
  }
}

/** Returns how lists and objects of a form's field are written; undefined where the document does not say. */
function encodedStyles(encoding: unknown): Source['styles'] {
  if (field(encoding, 'style') === undefined && field(encoding, 'explode') === undefined) {
    const type = textField(encoding, 'contentType')
    return type !== null && /json/i.test(type) ? { list: 'json', object: 'json' } : undefined
  }
  return stylesOf(encoding, 'query') ?? undefined
}

const isPlainJson = (type: string) => /^(?:application\/json\s*$|application\/\*|\*)/i.test(type)

function isBinary(schema: unknown, type: string): boolean {
  return field(schema, 'format') === 'binary' || !/^text\/|xml|json|yaml|csv/i.test(type)
}

/** Returns the media type that calls send: JSON if there is one, else a form, else the first. */
function chooseMedia(all: readonly Media[]): Media | undefined {
  const rank = ([type]: Media) =>
    ['json', 'urlencoded', 'multipart', 'other'].indexOf(bodyFormOf(isPlainJson(type) ? null : type))
  return all.toSorted((one, other) => rank(one) - rank(other))[0]
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

type Media = readonly [type: string, media: unknown]

const mediaTypes = oncePerObject((content): readonly Media[] => entriesOf(content).slice(0, maxMedia))

/** Returns the first entries without copying all of them: many operations can share a schema. */
function firstOf(properties: ReadonlyMap<string, unknown>, count: number): [string, unknown][] {
  const first: [string, unknown][] = []
  for (const entry of properties) {
    if (first.length >= count) break
    first.push(entry)
  }
  return first
}
