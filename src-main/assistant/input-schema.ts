import { mapSchemas } from '#shared/json-schema/subschemas.ts'
import { inputsOf, type Parameter } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'

type Schema = Record<string, unknown>

/**
 * Returns the JSON Schema of a tool's arguments. It accepts what a call accepts, except for null as an optional argument:
 * some clients cannot read a list of types. Objects without a schema of their own may have any content. A parameter's
 * schema is given as it is; what it refers to is in `$defs`.
 */
export function inputSchemaOf(parameters: readonly Parameter[]): Schema {
  const inputs = inputsOf(parameters)
  const defs = new Map<string, unknown>()
  const properties = inputs.map(one => [one.name, propertyOf(one, defs)] as const)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: inputs.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
    ...(defs.size > 0 && { $defs: Object.fromEntries(defs) }),
  }
}

function propertyOf(parameter: Parameter, defs: Map<string, unknown>): Schema {
  const { type, description, schema, isList } = parameter
  const one: Schema =
    schema === undefined ? { type: parameterKinds[type].schemaType } : hoisted(parameter, schema, defs)
  // A path has no room for an empty text.
  if (parameter.in === 'path' && one.type === 'string') one.minLength ??= 1
  return isList === true ? { type: 'array', items: one, description } : { ...one, description }
}

/** Returns a schema with its `$defs` among those of the tool. One that refers to itself is among them as a whole. */
function hoisted({ name }: Parameter, { $schema: _, ...schema }: Schema, defs: Map<string, unknown>): Schema {
  const own = schema.$defs
  const free = (wanted: string) => {
    let found = wanted
    for (let index = 2; defs.has(found); index++) found = `${wanted}_${index}`
    return found
  }
  const names = new Map<string, string>()
  for (const key of Object.keys(Object(own))) {
    const found = free(key)
    names.set(key, found)
    defs.set(found, true)
  }
  let whole: string | null = null
  const changed = mapSchemas(schema, ({ $ref, ...rest }) => {
    if (typeof $ref !== 'string') return rest
    const [, key = '', below = ''] = /^#\/\$defs\/([^/]*)(.*)$/s.exec($ref) ?? []
    const known = names.get(unescaped(key))
    if (known !== undefined) return { ...rest, $ref: `#/$defs/${escaped(known)}${below}` }
    if (whole === null) {
      whole = free(name)
      defs.set(whole, true)
    }
    return { ...rest, $ref: `#/$defs/${escaped(whole)}${$ref.slice(1)}` }
  })
  const { $defs, ...rest } = changed
  for (const [key, value] of Object.entries(Object($defs))) defs.set(names.get(key) ?? key, value)
  if (whole === null) return rest
  defs.set(whole, rest)
  return { $ref: `#/$defs/${escaped(whole)}` }
}

const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
const unescaped = (key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
