import { isObject } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { headerNameProblem } from '#shared/model/action-headers.ts'
import { encodeText } from '#shared/model/action-url.ts'
import { Parameter } from '#shared/model/parameter.ts'
import { hintsOf, maxExamples, maxHints } from './hints.ts'
import { entriesOf, field, listField, oncePerObject, type Resolve, textField } from './json-value.ts'
import type { Carried, FlatSchema, Schemas } from './schemas.ts'
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
  /** Pairs for the fixed query of the path. */
  readonly query: string[]
  readonly headers: Record<string, string>
  readonly leftOut: LeftOut[]
}

export const maxParameters = 200
/** Declared parameters that are read of one operation. */
const maxDeclared = 1000
const maxDescription = 2000
const maxPlace = 40

/** Reads the parameters of an operation in query, headers and cookies. Its path has no placeholders. */
export function readParameters(
  declared: ReadonlyMap<string, { readonly value: unknown; readonly path: JsonPath }>,
  method: string,
  prefix: string,
  schemas: Schemas,
): Inputs {
  const inputs: Inputs = { parameters: [], query: [], headers: {}, leftOut: [] }
  for (const { value, path } of declared.values()) {
    const name = textField(value, 'name') ?? ''
    const isRequired = field(value, 'required') === true
    const leaveOut = (reason: string, loss: LeftOut['loss'] = lossOf(isRequired)) =>
      inputs.leftOut.push({ name, reason, path, loss })
    switch (field(value, 'in')) {
      case 'query': {
        const carried = queryType(value, schemas)
        if (method !== 'GET') {
          const only = isRequired ? onlyValue(carried.flat, value) : undefined
          if (only === undefined)
            leaveOut(`it is in the query, but a ${method} sends its parameters in the body`)
          else inputs.query.push(`${encodeText(name)}=${encodeText(only)}`)
          break
        }
        const text = textOf(value, carried.flat, examplesOf(value), isRequired)
        addParameter(inputs, name, carried, text, isRequired, path)
        break
      }
      case 'header':
        addHeader(inputs, value, name, isRequired, path, prefix, schemas)
        break
      case 'cookie':
        leaveOut('it is a cookie')
        break
      case 'body':
      case 'formData':
        leaveOut('OpenAPI 3 has no parameters in the body, only a requestBody', 'inexpressible')
        break
      default:
        leaveOut(`actions have no parameters in "${cut(String(textField(value, 'in')), maxPlace)}"`)
    }
  }
  return inputs
}

type Typed = Carried & { readonly flat: FlatSchema }

function queryType(parameter: unknown, schemas: Schemas): Typed {
  const content = entriesOf(field(parameter, 'content'))[0]
  const schema = content === undefined ? field(parameter, 'schema') : field(content[1], 'schema')
  const flat = schemas.flatten(schema)
  const carried = schemas.carriedType(schema)
  if (content !== undefined || 'reason' in carried || carried.type !== 'object') return { ...carried, flat }
  const [other, ...rest] = carried.others
  return other === undefined
    ? { flat, reason: 'it is an object in the query, which actions send as JSON' }
    : { flat, type: other, others: [carried.type, ...rest], isWhole: false }
}

/** Returns the only value that a query parameter can have, as a text; undefined if there are several. */
function onlyValue({ values }: FlatSchema, parameter: unknown): string | undefined {
  const [value] = values
  const isWritten = field(parameter, 'content') === undefined && values.length === 1 && isScalar(value)
  return isWritten ? String(value) : undefined
}

/** Adds a parameter if one of the four types can express it. Adds the reason if none can, or only a part of it. */
export function addParameter(
  inputs: Inputs,
  name: string,
  carried: Carried,
  description: string,
  isRequired: boolean,
  path: JsonPath,
): void {
  const leaveOut = (reason: string) => inputs.leftOut.push({ name, reason, path, loss: lossOf(isRequired) })
  if ('reason' in carried) leaveOut(carried.reason)
  else if (!Parameter.shape.name.safeParse(name).success)
    leaveOut('parameter names have 1 to 64 letters, digits, _ - . [ ]')
  else if (inputs.parameters.some(parameter => parameter.name === name))
    leaveOut('another parameter has the same name')
  else if (inputs.parameters.length >= maxParameters)
    leaveOut(`an action has at most ${maxParameters} parameters`)
  else {
    inputs.parameters.push({
      name,
      type: carried.type,
      description: description === '' ? `The value of ${name}.` : description,
      required: isRequired,
    })
    if (!carried.isWhole)
      inputs.leftOut.push({
        name,
        reason: `it allows several types; its parameter is of the type ${carried.type}`,
        path,
        loss: null,
      })
  }
}

function addHeader(
  inputs: Inputs,
  parameter: unknown,
  name: string,
  isRequired: boolean,
  path: JsonPath,
  prefix: string,
  schemas: Schemas,
): void {
  // OpenAPI ignores declarations of these three headers.
  if (/^(accept|content-type|authorization)$/i.test(name)) return
  const { values } = schemas.flatten(field(parameter, 'schema'))
  const problem = headerNameProblem(name)
  const leaveOut = (reason: string) => inputs.leftOut.push({ name, reason, path, loss: lossOf(isRequired) })
  if (problem !== null) leaveOut(problem.replace(/\.$/, ''))
  else if (values.length === 1 && isScalar(values[0])) inputs.headers[name] = String(values[0])
  else if (isRequired) inputs.headers[name] = `{{${prefix}_${variablePart(name)}}}`
  else leaveOut('it is an optional header, but actions always send their headers')
}

const isScalar = (value: unknown) => value !== null && typeof value !== 'object'

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
