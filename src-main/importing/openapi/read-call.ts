import { isObject } from '#shared/json/exact-json.ts'
import { encodeText, takesQuery } from '#shared/model/action-url.ts'
import { Method } from '#shared/model/method.ts'
import { placeholdersIn } from '#shared/model/placeholders.ts'
import type { OperationCall } from '../operation.ts'
import { variableOf, variablePath } from '../placeholder-texts.ts'
import type { ConversionParts, Operation } from './convert-operation.ts'
import { entriesOf, field, oncePerObject, textField } from './json-value.ts'
import { declaredParameters, pathParameter, readParameters } from './parameters.ts'
import { mergeHeaders } from './texts.ts'

/** Characters of all calls that are read. An import shows only so many. */
const maxCalls = 1024 * 1024
/** Parameters of them. Because of references, an operation can be larger than its text. */
const maxParameters = 200_000
/** Fields of a body that are looked at, and that are taken. */
const maxRead = 200
const maxFields = 100

/**
 * Returns a function that reads the call of an operation for a workflow, with a variable for each placeholder without a
 * constant, each required parameter and each field of the body. It returns null once the calls are too large in total.
 */
export function createCallReader(parts: ConversionParts): (operation: Operation) => OperationCall | null {
  let size = 0
  let parameters = 0
  return given => {
    const method = Method.safeParse(given.method)
    if (!method.success || size > maxCalls || parameters > maxParameters) return null
    const { declared } = declaredParameters(given.item, given.operation, parts.resolve)
    parameters += declared.size
    for (const name of placeholdersIn(given.path)) declared.delete(pathParameter(name))
    const operation = given.operation.value
    const inputs = readParameters(declared, method.data, parts.prefix, parts.schemas)
    const secured = parts.security.of(operation)
    const { body, type } = takesQuery(method.data)
      ? { body: undefined, type: null }
      : bodyOf(operation, parts)
    const headers = mergeHeaders(
      { ...inputs.headers, ...(type !== null && { 'Content-Type': type }) },
      'headers' in secured ? secured.headers : {},
    )
    const path = variablePath(given.path, parts.constants)
    const fixed = new Set(inputs.query.map(pair => pair.split('=')[0]))
    const query = [
      ...inputs.query,
      ...[...declared.values()]
        .filter(({ value }) => field(value, 'in') === 'query' && field(value, 'required') === true)
        .map(({ value }) => textField(value, 'name') ?? '')
        .filter(name => !fixed.has(encodeText(name)))
        .map(name => `${encodeText(name)}=${variableOf(name)}`),
    ]
    const call = {
      method: method.data,
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(body !== undefined && { body }),
    }
    size += JSON.stringify(call).length
    return call
  }
}

/** Returns the body with a variable for each field, and its media type if it is not plain JSON. */
function bodyOf(
  operation: unknown,
  { resolve, schemas }: ConversionParts,
): { body: OperationCall['body']; type: string | null } {
  const resolved = resolve(field(operation, 'requestBody'))
  const content = 'value' in resolved ? field(resolved.value, 'content') : undefined
  const [type, media] = isObject(content) ? readableMedia(content) : []
  if (type === undefined) return { body: undefined, type: null }
  const flat = schemas.flatten(field(media, 'schema'))
  const names = firstNames(flat.properties, property => !schemas.flatten(property).isReadOnly)
  const isWhole = names.length === 0 || flat.alternatives.length > 0
  return {
    body: isWhole ? variableOf('body') : Object.fromEntries(names.map(name => [name, variableOf(name)])),
    type: isPlainJson.test(type) ? null : type,
  }
}

const readableMedia = oncePerObject(
  content => entriesOf(content).find(([type]) => isReadable.test(type)) ?? [],
)

const isReadable = /^(?:application\/(?:(?:[\w.+-]+\+)?json|x-www-form-urlencoded|\*)|\*\/\*)\s*(?:;|$)/i
const isPlainJson = /^application\/(?:json\b|\*)|^\*/i

/** Returns the first names without copying all of them: many operations can share a schema. */
function firstNames(
  properties: ReadonlyMap<string, unknown>,
  isTaken: (property: unknown) => boolean,
): string[] {
  const names: string[] = []
  let read = 0
  for (const [name, property] of properties) {
    if (names.length >= maxFields || ++read > maxRead) break
    if (!name.includes('{{') && isTaken(property)) names.push(name)
  }
  return names
}
