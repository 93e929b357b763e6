import { isObject } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { headerNameProblem } from '#shared/model/action-headers.ts'
import {
  type Parameter,
  type ParameterPlace,
  type ParameterStyle,
  ParameterType,
} from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import { isCredential } from '../plan-warnings.ts'
import { hintsOf, maxExamples, maxHints } from './hints.ts'
import { entriesOf, field, listField, oncePerObject, type Resolve, textField } from './json-value.ts'
import type { FlatSchema, Schemas } from './schemas.ts'
import { cut, variablePart } from './texts.ts'

/** A part of an operation that an action cannot express. */
export type LeftOut = {
  readonly name: string
  readonly reason: string
  readonly path: JsonPath
  /**
   * Whether the action is disabled without it: calls fail without a `required` part, and without an `inexpressible` one
   * they mean something else.
   */
  readonly loss: 'required' | 'inexpressible' | null
}

/** Returns the loss of a part that is sent only if it is given. */
export const lossOf = (isRequired: boolean) => (isRequired ? 'required' : null)

export type Inputs = {
  readonly parameters: Parameter[]
  readonly headers: Record<string, string>
  readonly leftOut: LeftOut[]
  /** Whether the document gives the operation a body. */
  sendsBody: boolean
}

export const maxParameters = 200
/** Declared parameters that are read of one operation. */
const maxDeclared = 1000
const maxDescription = 2000
const maxPlace = 40

/** A value of an operation that calls give an argument for. */
export type Source = {
  /** Its name in the request. */
  readonly name: string
  readonly in: ParameterPlace
  readonly schema: unknown
  /** The parameter or property that may describe it. */
  readonly declared: unknown
  readonly examples: readonly unknown[]
  readonly isRequired: boolean
  readonly path: JsonPath
  /** How lists and objects are written, where the document says so. */
  readonly styles?: Styles | undefined
}

type Styles = { readonly list: ParameterStyle; readonly object: ParameterStyle }

/**
 * Reads the parameters of an operation in path, query, headers and cookies.
 *
 * @param prefix the start of the names of environment variables.
 */
export function readParameters(
  declared: ReadonlyMap<string, { readonly value: unknown; readonly path: JsonPath }>,
  schemas: Schemas,
  prefix: string,
): Inputs {
  const inputs: Inputs = { parameters: [], headers: {}, leftOut: [], sendsBody: false }
  for (const { value, path } of declared.values()) {
    const name = textField(value, 'name') ?? ''
    const isRequired = field(value, 'required') === true
    const leaveOut = (reason: string, loss: LeftOut['loss'] = lossOf(isRequired)) =>
      inputs.leftOut.push({ name, reason, path, loss })
    const place = field(value, 'in')
    const content = entriesOf(field(value, 'content'))[0]
    const schema = field(content === undefined ? value : content[1], 'schema') ?? { type: 'string' }
    const source = { name, schema, declared: value, examples: examplesOf(value), isRequired, path }
    switch (place) {
      case 'path':
      case 'query': {
        const styles =
          content === undefined ? stylesOf(value, place) : ({ list: 'json', object: 'json' } as const)
        if (styles === null)
          leaveOut(`it is written in the style ${cut(String(field(value, 'style')), maxPlace)}`)
        else
          addParameter(
            inputs,
            { ...source, in: place, isRequired: isRequired || place === 'path', styles },
            schemas,
          )
        break
      }
      case 'header':
        addHeader(inputs, { ...source, in: 'header' }, schemas, prefix)
        break
      case 'cookie':
        leaveOut('it is a cookie')
        break
      case 'body':
      case 'formData':
        leaveOut('OpenAPI 3 has no parameters in the body, only a requestBody', 'inexpressible')
        break
      default:
        leaveOut(`actions have no parameters in "${cut(String(place), maxPlace)}"`)
    }
  }
  return inputs
}

/** Returns how lists and objects of a parameter are written by its `style` and `explode`; null for no style of ours. */
export function stylesOf(declared: unknown, where: 'path' | 'query'): Styles | null {
  const style = field(declared, 'style') ?? (where === 'query' ? 'form' : 'simple')
  const isExploded = field(declared, 'explode') ?? style === 'form'
  switch (style) {
    case 'form':
      return isExploded === true ? { list: 'repeat', object: 'fields' } : { list: 'comma', object: 'comma' }
    case 'simple':
      return { list: 'comma', object: isExploded === true ? 'fields' : 'comma' }
    case 'spaceDelimited':
      return isExploded === true ? { list: 'repeat', object: 'fields' } : { list: 'space', object: 'space' }
    case 'pipeDelimited':
      return isExploded === true ? { list: 'repeat', object: 'fields' } : { list: 'pipe', object: 'pipe' }
    case 'deepObject':
      return { list: 'indexed', object: 'deep' }
    default:
      return null
  }
}

/** The styles that need not be said, by the place of a parameter. */
const usual: Readonly<Record<ParameterPlace, Styles | null>> = {
  path: { list: 'comma', object: 'comma' },
  query: { list: 'repeat', object: 'json' },
  header: { list: 'comma', object: 'comma' },
  body: { list: 'repeat', object: 'deep' },
  entireBody: null,
}

/** Adds a parameter with what its schema says. Leaves out what an action has no room for. */
export function addParameter(inputs: Inputs, source: Source, schemas: Schemas): void {
  const { name, in: place, isRequired, path, styles } = source
  const leaveOut = (reason: string) => inputs.leftOut.push({ name, reason, path, loss: lossOf(isRequired) })
  if (inputs.parameters.length >= maxParameters) {
    leaveOut(`an action has at most ${maxParameters} parameters`)
    return
  }
  const flat = schemas.flatten(source.schema)
  const isList = isListOf(flat)
  const { schema, cutBecause } = schemas.valueSchema(isList ? flat.items : source.schema)
  if (cutBecause !== null)
    inputs.leftOut.push({ name, reason: `its schema is cut to its type: ${cutBecause}`, path, loss: null })
  const element = isList ? schemas.flatten(flat.items) : flat
  const type = typeOf(element, schemas)
  const only = isRequired && (place === 'query' || place === 'body') ? onlyValue(flat) : undefined
  const { description: _, ...rest } = schema
  const saysMore =
    Object.keys(rest).some(key => key !== 'type') || rest.type !== parameterKinds[type].schemaType
  const argument = argumentName(name, new Set(inputs.parameters.map(one => one.name)))
  const style = isList ? styles?.list : styles?.object
  const isWritten = place !== 'entireBody' && (isList || type === 'object')
  const standard = isList ? usual[place]?.list : usual[place]?.object
  inputs.parameters.push({
    name: argument,
    type,
    description: textOf(source.declared, flat, source.examples, isRequired) || `The value of ${name}.`,
    required: isRequired,
    in: place,
    ...(argument !== name && place !== 'entireBody' && { wireName: name }),
    ...(isList && { isList }),
    ...(isWritten && style !== undefined && style !== standard && { style }),
    ...(saysMore && only === undefined && { schema: rest }),
    ...(only !== undefined && { value: only }),
  })
}

/** Returns the only value that a schema allows; undefined if there are several. */
function onlyValue({ values: [value, ...others] }: FlatSchema): unknown {
  return others.length === 0 && isScalar(value) ? value : undefined
}

/** Returns whether a schema is that of a list and nothing else. */
function isListOf(flat: FlatSchema): boolean {
  if (flat.alternatives.length > 0) return false
  return flat.types.size === 0 ? flat.hasItems : flat.types.size === 1 && flat.types.has('array')
}

/** Alternatives whose types are looked at. */
const maxLookedAt = 200

/** Returns the nearest of the four types: for several the first that fits. */
function typeOf(flat: FlatSchema, { flatten }: Schemas): ParameterType {
  const waiting = [flat]
  for (let looked = 0; looked < maxLookedAt; looked++) {
    const next = waiting.shift()
    if (next === undefined) break
    const [value] = next.values
    for (const name of [...next.types, typeof value]) {
      const found = ParameterType.options.find(type => parameterKinds[type].imported.includes(name))
      if (found !== undefined && (name !== 'object' || next.types.has(name) || value !== null)) return found
    }
    if (next.properties.size > 0 || next.isFreeForm) return 'object'
    waiting.push(...next.alternatives.flat().slice(0, maxLookedAt).map(flatten))
  }
  return 'string'
}

const maxArgument = 64

/** Returns a name as an argument can have it. */
export function argumentOf(name: string): string {
  const words = name.match(/[A-Za-z0-9_\-.[\]]+/g) ?? []
  return words.join('_').slice(0, maxArgument) || 'value'
}

/** Returns a name for the argument of a parameter that no other one has. */
export function argumentName(name: string, taken: ReadonlySet<string>): string {
  const base = argumentOf(name)
  let found = base
  for (let index = 2; taken.has(found); index++) {
    const suffix = `_${index}`
    found = base.slice(0, maxArgument - suffix.length) + suffix
  }
  return found
}

function addHeader(inputs: Inputs, source: Source, schemas: Schemas, prefix: string): void {
  const { name, isRequired, path } = source
  const { values } = schemas.flatten(source.schema)
  // OpenAPI ignores declarations of these headers, but some documents require one value of Accept.
  const isAccept = /^accept$/i.test(name) && values.length === 1
  if (/^(accept|content-type|authorization)$/i.test(name) && !isAccept) return
  const problem = headerNameProblem(name)
  if (problem !== null)
    inputs.leftOut.push({ name, reason: problem.replace(/\.$/, ''), path, loss: lossOf(isRequired) })
  else if (values.length === 1 && isScalar(values[0])) inputs.headers[name] = String(values[0])
  // Assistants must not be asked for credentials.
  else if (isRequired && isCredential(name)) inputs.headers[name] = `{{${prefix}_${variablePart(name)}}}`
  else addParameter(inputs, { ...source, styles: { list: 'comma', object: 'comma' } }, schemas)
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/**
 * Returns the description of a parameter for the assistant, with what its schema says about its values.
 *
 * @param examples those outside the schema.
 */
export function textOf(
  declared: unknown,
  flat: FlatSchema,
  examples: readonly unknown[],
  isRequired: boolean,
): string {
  const own = textField(declared, 'description') ?? flat.description ?? ''
  const hints = hintsOf(flat, examples, isRequired)
  if (own === '' || hints === '') return cut(own + hints, maxDescription)
  const first = cut(own.replace(/([^.!?])$/, '$1.'), maxDescription - maxHints - 1)
  return `${first} ${cut(hints, maxDescription - first.length - 1)}`
}

/** Returns the example, or the first of the named examples, of a parameter or a media type. */
export function examplesOf(holder: unknown): readonly unknown[] {
  return isObject(holder) ? examplesIn(holder) : []
}
const examplesIn = oncePerObject(holder => {
  const named = entriesOf(field(holder, 'examples')).slice(0, maxExamples)
  return [field(holder, 'example'), ...named.map(([, example]) => field(example, 'value'))]
})

const parameterKey = (where: string | null, name: string | null) => `${where} ${name}`

/** Returns the key of a placeholder's declaration. */
export const pathParameter = (name: string) => parameterKey('path', name)

/** Returns the parameters of a path item and its operation, with references resolved. The operation's take precedence. */
export function declaredParameters(
  item: { readonly value: unknown; readonly path: JsonPath },
  operation: { readonly value: unknown; readonly path: JsonPath },
  resolve: Resolve,
): { declared: Map<string, { value: unknown; path: JsonPath }>; leftOut: LeftOut[] } {
  const declared = new Map<string, { value: unknown; path: JsonPath }>()
  const leftOut: LeftOut[] = []
  for (const holder of [item, operation]) {
    const listed = listField(holder.value, 'parameters')
    if (listed.length > maxDeclared) {
      const reason = `only the first ${maxDeclared} of ${listed.length} are read`
      leftOut.push({ name: 'parameters', reason, path: holder.path, loss: 'required' })
    }
    listed.slice(0, maxDeclared).forEach((parameter, index) => {
      const path = [...holder.path, 'parameters', index]
      const resolved = resolve(parameter)
      if ('error' in resolved)
        leftOut.push({ name: `parameter ${index + 1}`, reason: resolved.error, path, loss: 'required' })
      else {
        const { value } = resolved
        declared.set(parameterKey(textField(value, 'in'), textField(value, 'name')), { value, path })
      }
    })
  }
  return { declared, leftOut }
}
