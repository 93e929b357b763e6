import type { JsonPath } from '#shared/json/locate.ts'
import { headerNameProblem } from '#shared/model/action-headers.ts'
import { Parameter } from '#shared/model/parameter.ts'
import { entriesOf, field, listField, type Resolve, textField } from './json-value.ts'
import type { Carried, FlatSchema, Schemas } from './schemas.ts'
import { cut, variablePart } from './texts.ts'

/** A part of an operation that an action cannot express. */
export type LeftOut = {
  readonly name: string
  readonly reason: string
  readonly path: JsonPath
  /** Whether calls without it fail. */
  readonly isRequired: boolean
}

export type Inputs = {
  readonly parameters: Parameter[]
  readonly headers: Record<string, string>
  readonly leftOut: LeftOut[]
}

export const maxParameters = 200
/** Declared parameters that are read of one operation. */
const maxDeclared = 1000
/** Values of an enumeration that a description lists. */
const maxValues = 200
const maxDescription = 2000
const maxPlace = 40

/** Reads the parameters of an operation in query, headers and cookies. Its path has no placeholders. */
export function readParameters(
  declared: ReadonlyMap<string, { readonly value: unknown; readonly path: JsonPath }>,
  method: string,
  prefix: string,
  schemas: Schemas,
): Inputs {
  const inputs: Inputs = { parameters: [], headers: {}, leftOut: [] }
  for (const { value, path } of declared.values()) {
    const name = textField(value, 'name') ?? ''
    const isRequired = field(value, 'required') === true
    const leaveOut = (reason: string) => inputs.leftOut.push({ name, reason, path, isRequired })
    switch (field(value, 'in')) {
      case 'query': {
        if (method !== 'GET') {
          leaveOut(`it is in the query, but a ${method} sends its parameters in the body`)
          break
        }
        const carried = queryType(value, schemas)
        addParameter(inputs, name, carried, textOf(value, carried.flat), isRequired, path)
        break
      }
      case 'header':
        addHeader(inputs, value, name, isRequired, path, prefix, schemas)
        break
      case 'cookie':
        leaveOut('it is a cookie')
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
  if (content === undefined && 'type' in carried && carried.type === 'object')
    return { flat, reason: 'it is an object in the query, which actions send as JSON' }
  return { ...carried, flat }
}

/** Adds a parameter if one of the four types can express it. Otherwise adds the reason. */
export function addParameter(
  inputs: Inputs,
  name: string,
  carried: Carried,
  description: string,
  isRequired: boolean,
  path: JsonPath,
): void {
  const leaveOut = (reason: string) => inputs.leftOut.push({ name, reason, path, isRequired })
  if ('reason' in carried) leaveOut(carried.reason)
  else if (!Parameter.shape.name.safeParse(name).success)
    leaveOut('parameter names have 1 to 64 letters, digits, _ - . [ ]')
  else if (inputs.parameters.some(parameter => parameter.name === name))
    leaveOut('another parameter has the same name')
  else if (inputs.parameters.length >= maxParameters)
    leaveOut(`an action has at most ${maxParameters} parameters`)
  else
    inputs.parameters.push({
      name,
      type: carried.type,
      description: cut(description === '' ? `The value of ${name}.` : description, maxDescription),
      required: isRequired,
    })
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
  const fault = headerNameProblem(name)
  const leaveOut = (reason: string) => inputs.leftOut.push({ name, reason, path, isRequired })
  if (fault !== null) leaveOut(fault.replace(/\.$/, ''))
  else if (values.length === 1 && typeof values[0] === 'string') inputs.headers[name] = values[0]
  else if (isRequired) inputs.headers[name] = `{{${prefix}_${variablePart(name)}}}`
  else leaveOut('it is an optional header, but actions always send their headers')
}

const isPlain = (value: unknown) => value !== null && typeof value !== 'object'

/** Returns the description of a parameter, with its possible values. */
export function textOf(declared: unknown, flat: FlatSchema): string {
  const own = textField(declared, 'description') ?? flat.description ?? ''
  const values = flat.values
    .slice(0, maxValues)
    .filter(isPlain)
    .map(value => cut(String(value), maxDescription))
  if (values.length < 2) return own
  const more = flat.values.length > maxValues ? ', …' : ''
  return `${own === '' ? '' : `${own.replace(/([^.!?])$/, '$1.')} `}One of: ${values.join(', ')}${more}.`
}

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
      leftOut.push({ name: 'parameters', reason, path: holder.path, isRequired: true })
    }
    listed.slice(0, maxDeclared).forEach((parameter, index) => {
      const path = [...holder.path, 'parameters', index]
      const resolved = resolve(parameter)
      if ('fault' in resolved)
        leftOut.push({ name: `parameter ${index + 1}`, reason: resolved.fault, path, isRequired: true })
      else {
        const { value } = resolved
        declared.set(`${textField(value, 'in')} ${textField(value, 'name')}`, { value, path })
      }
    })
  }
  return { declared, leftOut }
}
