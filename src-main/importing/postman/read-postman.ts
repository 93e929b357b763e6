import { isObject } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { serverKey } from '#shared/model/import-server.ts'
import { BaseUrl } from '#shared/model/urls.ts'
import { isNoise, isSecretValue } from '../curl/headers.ts'
import type { ApiSource } from '../openapi/convert-openapi.ts'
import type { Operation } from '../openapi/convert-operation.ts'
import { field, listField, textField } from '../openapi/json-value.ts'
import { cut, variablePart, variablePrefix } from '../openapi/texts.ts'
import { hideSecrets, problem, warning } from '../problem.ts'
import { describe } from './examples.ts'
import { readBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { createVariables, type Variables, variablePattern } from './variables.ts'

/** A request, with the folders and the authorization that it inherits. */
type Item = {
  readonly value: unknown
  readonly request: unknown
  readonly folders: readonly string[]
  readonly auth: unknown
  readonly path: JsonPath
}

/** The address of a request: what it shares with others, and what is its own. The key is the same for all spellings. */
type Address = {
  readonly base: string
  readonly key: string
  readonly path: string
  readonly query: readonly unknown[]
}

/** More than any path of an action. */
const maxUrl = 10_000
const maxShown = 120

/**
 * Reads a Postman collection 2.1 as an API: its requests are operations of the form of OpenAPI. Values of variables that
 * are not secret are filled in, the others and all credentials become variables of the service. Pure.
 */
export function readPostman(given: unknown): ApiSource | { readonly refused: ReturnType<typeof problem> } {
  // The API of Postman answers with the collection in an envelope.
  const isWrapped = isObject(field(given, 'collection'))
  const root = isWrapped ? field(given, 'collection') : given
  const at: JsonPath = isWrapped ? ['collection'] : []
  const info = field(root, 'info')
  if (!isObject(info) || !Array.isArray(field(root, 'item')))
    return { refused: problem(at, 'This is not a Postman collection: it has no "info" or no "item".') }
  const title = textField(info, 'name')
  const variables = createVariables(listField(root, 'variable'))
  const items = [...itemsIn(root, at, [], field(root, 'auth'))]
  const addresses = items.map(({ request }) => addressOf(field(request, 'url'), variables))
  const common = commonBase(addresses)
  const base = common?.base ?? null
  const prefix = variablePrefix(title ?? 'Imported API')
  const schemes = new Map<string, object>()
  const operations: Operation[] = []
  const leftOut: { name: string; reason: string; path: JsonPath }[] = []
  items.forEach((item, index) => {
    const address = addresses[index] ?? null
    const name = cut(hideSecrets(textField(item.value, 'name') ?? `request ${index + 1}`), maxShown)
    const path = address === null ? null : pathBelow(address, common)
    if (address === null || path === null) {
      const reason =
        address === null
          ? 'it has no URL'
          : 'it calls another host, but all actions of a connection share one base URL'
      leftOut.push({ name, reason, path: item.path })
    } else operations.push(operationOf(item, { ...address, path }, { variables, prefix, schemes }))
  })
  for (const event of listField(root, 'event')) {
    if (!hasScript(event)) continue
    const reason = 'an import runs no scripts, so what it sets is missing'
    leftOut.push({ name: 'the script of the collection', reason, path: [...at, 'event'] })
  }
  const parsed = base === null ? null : BaseUrl.safeParse(base)
  return {
    format: 'postman',
    version: '2.1',
    root: { components: { securitySchemes: Object.fromEntries(schemes) } },
    title,
    documentVersion: typeof field(info, 'version') === 'string' ? textField(info, 'version') : null,
    problems: parsed?.success === true ? [] : [warning(at, baseWarning(base))],
    needed: [
      {
        url: parsed?.data ?? '/',
        baseUrl: parsed?.data ?? null,
        at: [...at, 'item'],
        isAlternative: false,
        isNamed: false,
      },
    ],
    alternatives: [],
    serverOf: () => 0,
    operations,
    leftOut,
    titleAt: [...at, 'info', 'name'],
    schemesAt: [...at, 'auth'],
  }
}

function baseWarning(base: string | null): string {
  if (base === null) return 'The collection has no request with a URL and therefore no base URL.'
  return variablePattern().test(base)
    ? `The base URL of the collection is ${cut(hideSecrets(base), maxShown)}, which the collection gives no value. Set the base URL of the connection.`
    : `The base URL of the collection cannot be used: ${cut(hideSecrets(base), maxShown)}.`
}

/** Returns the requests of a folder and the folders in it. */
function* itemsIn(folder: unknown, at: JsonPath, folders: readonly string[], auth: unknown): Generator<Item> {
  for (const [index, value] of listField(folder, 'item').entries()) {
    const path = [...at, 'item', index]
    const request = field(value, 'request')
    const own = field(isObject(request) ? request : value, 'auth')
    const inherited = isObject(own) ? own : auth
    if (Array.isArray(field(value, 'item'))) {
      const name = textField(value, 'name')
      yield* itemsIn(value, path, name === null ? folders : [...folders, name], inherited)
    } else if (request !== undefined)
      yield {
        value,
        request: typeof request === 'string' ? { url: request } : request,
        ...{ folders, auth: inherited, path },
      }
  }
}

const hasScript = (event: unknown) =>
  field(event, 'listen') === 'prerequest' &&
  JSON.stringify(field(field(event, 'script'), 'exec') ?? '').length > 4

function addressOf(url: unknown, variables: Variables): Address | null {
  const raw = typeof url === 'string' ? url : (textField(url, 'raw') ?? rawOf(url))
  if (raw === null || raw.trim() === '') return null
  const [withoutQuery = '', queryText = ''] =
    raw
      .trim()
      .slice(0, maxUrl)
      .split('#')[0]
      ?.split(/\?(.*)/s) ?? []
  const [, start = '', rest = ''] =
    /^(\{\{[^{}]*\}\}|[a-z][a-z0-9+.-]*:\/\/[^/]*|[^/]*)(.*)$/is.exec(withoutQuery) ?? []
  const base = variables.fill(start).replace(/\/+$/, '')
  const query = typeof url === 'string' ? queryOf(queryText) : listField(url, 'query')
  const whole =
    base === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(base) || base.includes('{{') ? base : `https://${base}`
  return {
    base: whole,
    key: serverKey(whole),
    path: placeholders(variables.fill(rest)),
    query: query.length === 0 && queryText !== '' ? queryOf(queryText) : query,
  }
}

/** Returns the address that the parts of a URL stand for; null without a host. */
function rawOf(url: unknown): string | null {
  const part = (name: string, separator: string) => {
    const value = field(url, name)
    if (typeof value === 'string') return value
    return listField(url, name)
      .map(one => (typeof one === 'string' ? one : (textField(one, 'value') ?? '')))
      .join(separator)
  }
  const host = part('host', '.')
  const protocol = textField(url, 'protocol') ?? 'https'
  if (host === '') return null
  return `${host.startsWith('{{') ? '' : `${protocol}://`}${host}/${part('path', '/').replace(/^\//, '')}`
}

const queryOf = (text: string) => [...new URLSearchParams(text)].map(([key, value]) => ({ key, value }))

/** Writes placeholders as OpenAPI does: `:id` and variables without a value become `{id}`. */
function placeholders(path: string): string {
  return path
    .replace(variablePattern(), (_text, name: string) => `{${name}}`)
    .replace(/(^|\/):([A-Za-z_][\w-]*)/g, '$1{$2}')
}

/** Returns the base of most requests; null without any. */
function commonBase(addresses: readonly (Address | null)[]): Pick<Address, 'base' | 'key'> | null {
  const counts = new Map<string, { base: string; key: string; count: number }>()
  for (const address of addresses) {
    if (address === null) continue
    const { base, key } = address
    const known = counts.get(key) ?? { base, key, count: 0 }
    known.count++
    counts.set(key, known)
  }
  const [most = null] = [...counts.values()].sort((one, other) => other.count - one.count)
  return most
}

/** Returns the path of an address below the common base URL; null if it is elsewhere. */
function pathBelow(address: Address, base: Pick<Address, 'key'> | null): string | null {
  const path = address.path === '' ? '/' : address.path
  if (base === null || address.key === base.key) return path
  const whole = address.key + path
  return whole.startsWith(`${base.key}/`) ? whole.slice(base.key.length) : null
}

type Parts = {
  readonly variables: Variables
  readonly prefix: string
  readonly schemes: Map<string, object>
}

function operationOf(item: Item, address: Address, parts: Parts): Operation {
  const { request, path } = item
  const { variables } = parts
  const method = (textField(request, 'method') ?? 'GET').toUpperCase()
  const leftOut: NonNullable<Operation['leftOut']>[number][] = []
  const parameters: object[] = pathParameters(request)
  const read = readQuery(address.query, method, variables)
  parameters.push(...read.parameters)
  for (const { name, loss } of read.secrets)
    leftOut.push({ name: cut(name, maxShown), reason: secretInQuery, path, loss })
  const headers = field(request, 'header')
  for (const header of Array.isArray(headers) ? headers : []) {
    if (field(header, 'disabled') === true) continue
    const name = textField(header, 'key') ?? ''
    const given = variables.fill(textField(header, 'value') ?? '')
    if (name === '' || isNoise(name, given)) continue
    // Postman generates the values of variables such as {{$guid}}.
    if (/\{\{\s*\$/.test(given)) parameters.push({ name, in: 'header', required: true })
    else if (isSecretValue(given, name) && !/^[\w ]{0,12}\{\{[^{}]*\}\}$/.test(given))
      parameters.push({
        name,
        in: 'header',
        required: true,
        schema: { const: `{{${parts.prefix}_${variablePart(name)}}}` },
      })
    else {
      const value = given.replace(
        variablePattern(),
        (_text, variable: string) => `{{${parts.prefix}_${variablePart(variable)}}}`,
      )
      parameters.push({ name, in: 'header', required: true, schema: { const: value } })
    }
  }
  if (listField(item.value, 'event').some(hasScript))
    leftOut.push({ name: 'script', reason: 'an import runs no scripts', path, loss: null })
  const body = readBody(field(request, 'body'), variables, contentTypeOf(headers))
  if (body !== null && 'reason' in body)
    leftOut.push({
      name: 'body',
      reason: body.reason,
      path: [...path, 'request', 'body'],
      loss: 'inexpressible',
    })
  const value = {
    summary: textField(item.value, 'name') ?? undefined,
    description: describe(request),
    tags: item.folders,
    parameters,
    security: securityOf(item.auth, parts.schemes),
    ...(body !== null && 'content' in body && { requestBody: { required: true, content: body.content } }),
  }
  return {
    method,
    path: read.fixed === '' ? address.path : `${address.path}?${read.fixed}`,
    item: { value: {}, path },
    operation: { value, path },
    leftOut,
  }
}

const secretInQuery =
  'it looks like a credential, which is not stored, and only headers can contain environment variables'

/** Returns the Content-Type that a request sets; null for none. */
function contentTypeOf(headers: unknown): string | null {
  const isOn = (one: unknown) =>
    field(one, 'disabled') !== true && /^content-type$/i.test(textField(one, 'key') ?? '')
  return textField(Array.isArray(headers) ? headers.find(isOn) : undefined, 'value')
}

function pathParameters(request: unknown): object[] {
  return listField(field(request, 'url'), 'variable').map(one => ({
    ...{ name: textField(one, 'key') ?? '', in: 'path', required: true, description: describe(one) },
    ...(textField(one, 'value') !== null && { example: textField(one, 'value') }),
  }))
}

/** Adds the scheme of an authorization, and returns the requirement of it. */
function securityOf(auth: unknown, schemes: Map<string, object>): object[] {
  const type = textField(auth, 'type')
  if (type === null || type === 'noauth') return []
  const parameter = (name: string) => {
    const own = field(auth, type)
    const listed = Array.isArray(own)
      ? field(
          own.find(one => field(one, 'key') === name),
          'value',
        )
      : field(own, name)
    return typeof listed === 'string' ? listed : null
  }
  const scheme = schemeOf(type, parameter)
  const name = 'name' in scheme ? `${type} ${scheme.name}` : type
  schemes.set(name, scheme)
  return [{ [name]: [] }]
}

function schemeOf(type: string, parameter: (name: string) => string | null): object {
  switch (type) {
    case 'bearer':
    case 'basic':
      return { type: 'http', scheme: type }
    case 'oauth2':
      return { type: 'oauth2' }
    case 'apikey':
      return { type: 'apiKey', in: parameter('in') ?? 'header', name: parameter('key') ?? 'Authorization' }
    default:
      return { type: 'http', scheme: cut(type, maxShown) }
  }
}
