import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0'
import { isObject } from '#shared/json/exact-json.ts'
import { type Problem, problem } from '../problem.ts'
import { entriesOf, field, listField, textField } from './json-value.ts'

/** Levels of a document. The library takes the square of the depth for each value. */
const maxLevels = 100
/** Schemes of an operation that are read. */
const maxSchemes = 4

/**
 * Converts a Swagger 2.0 document to OpenAPI 3.0, in place. Paths and operations keep their positions, so that problems
 * of them are found in the text.
 */
export function upgradeSwagger(
  given: unknown,
):
  | { readonly root: unknown; readonly format: 'swagger'; readonly version: string }
  | { readonly refused: Problem } {
  const refuse = (message: string, path = ['swagger']) => ({ refused: problem(path, message) })
  const version = String(field(given, 'swagger')).trim().slice(0, 20)
  // Without quotes, 2.0 is the number 2.
  if (!/^2(?:\.0)?(?:\.0)?$/.test(version) || !isObject(given))
    return refuse(`Swagger ${version} is not supported. Use Swagger 2.0 or OpenAPI 3.`)
  if (isDeeper(given, maxLevels))
    return refuse(`A Swagger document has at most ${maxLevels} levels. Convert it to OpenAPI 3 first.`, [])
  const wanted = listField(given, 'schemes')
  try {
    // A document that leaves the choice open gets the safer scheme.
    const schemes = ['https', 'http']
      .filter(scheme => wanted.length === 0 || wanted.includes(scheme))
      .slice(0, 1)
    addServers(given, schemes)
    insertBodies(given)
    const root: unknown = upgradeFromTwoToThree({ ...given, swagger: '2.0', schemes })
    return { root, format: 'swagger', version: '2.0' }
  } catch {
    // The library expects the fields to have the types of the specification.
    return refuse('This Swagger document is not valid, so it cannot be converted. Check it with a validator.')
  }
}

/** Adds the servers of the operations that have other schemes than the document, in place. */
function addServers(given: object, schemes: readonly string[]): void {
  const host = textField(given, 'host')
  if (host === null) return
  for (const [, item] of entriesOf(field(given, 'paths')))
    for (const [, operation] of entriesOf(item)) {
      const own = listField(operation, 'schemes').slice(0, maxSchemes)
      if (!isObject(operation) || own.length === 0 || own.some(one => schemes.includes(String(one)))) continue
      const address = `${host}${textField(given, 'basePath') ?? ''}`
      Object.assign(operation, { servers: own.map(scheme => ({ url: `${scheme}://${address}` })) })
    }
}

/** Replaces references to shared bodies and form fields, in place: the library drops what they refer to. */
function insertBodies(given: object): void {
  const shared = new Map<unknown, object>()
  for (const [name, parameter] of entriesOf(field(given, 'parameters')))
    if (isObject(parameter) && (parameter.in === 'body' || parameter.in === 'formData'))
      shared.set(`#/parameters/${name}`, parameter)
  if (shared.size === 0) return
  const insert = (owner: unknown) => {
    const parameters = listField(owner, 'parameters')
    if (!isObject(owner) || parameters.length === 0) return
    owner.parameters = parameters.map(parameter => {
      const found = shared.get(field(parameter, '$ref'))
      return found === undefined ? parameter : { ...found }
    })
  }
  for (const [, item] of entriesOf(field(given, 'paths'))) {
    insert(item)
    for (const [, operation] of entriesOf(item)) insert(operation)
  }
}

function isDeeper(root: unknown, levels: number): boolean {
  let current: readonly unknown[] = [root]
  for (let level = 0; level <= levels; level++) {
    current = current.flatMap(value =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
    if (current.length === 0) return false
  }
  return true
}
