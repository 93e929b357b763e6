import { BaseUrl } from '#shared/model/urls.ts'
import type { JsonPath } from '../json-path.ts'
import { type Problem, problem, warning } from '../problem.ts'
import {
  type ConversionParts,
  convertOperation,
  type DocumentAction,
  type Operation,
} from './convert-operation.ts'
import { entriesOf, field, listField, textField } from './json-value.ts'
import { createResolve } from './references.ts'
import { createSchemas } from './schemas.ts'
import { createSecurity } from './security.ts'
import { createToolNames, cut, variablePrefix } from './texts.ts'

export type Converted = {
  /** An import document. */
  readonly document: {
    readonly version: 1
    readonly connection: { readonly name: string; readonly baseUrl: string | null }
    readonly actions: readonly DocumentAction[]
  }
  /** For each action the path of its operation in the OpenAPI document. */
  readonly origins: readonly JsonPath[]
  readonly leftOut: readonly { readonly name: string; readonly reason: string; readonly path: JsonPath }[]
  readonly problems: readonly Problem[]
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const maxName = 120
/** Parameters of all actions together: an operation's size is not bounded by its text, as it may refer. */
const maxParameters = 200_000

/**
 * Turns an OpenAPI 3.0 or 3.1 document, parsed, into an import document. What the latter cannot express is
 * listed with its reason, never dropped in silence. Pure.
 */
export function convertOpenApi(root: unknown): Converted | { readonly refused: Problem } {
  const refused = versionProblem(root)
  if (refused !== null) return { refused }
  const title = textField(field(root, 'info'), 'title') ?? 'Imported API'
  const base = baseUrlOf(root)
  const prefix = variablePrefix(title)
  const resolve = createResolve(root)
  const parts: ConversionParts = {
    resolve,
    schemas: createSchemas(resolve),
    security: createSecurity(root, prefix, resolve),
    toolNameFor: createToolNames(),
    prefix,
  }
  const actions: DocumentAction[] = []
  const origins: JsonPath[] = []
  const leftOut: Converted['leftOut'][number][] = []
  let parameters = 0
  for (const operation of operationsOf(root, parts, leftOut)) {
    const converted = convertOperation(operation, parts)
    leftOut.push(...converted.leftOut)
    if (converted.action === null) continue
    parameters += converted.action.parameters.length
    if (parameters > maxParameters) {
      const message = `The operations have more than ${maxParameters} parameters together.`
      return { refused: problem(operation.operation.path, message) }
    }
    actions.push(converted.action)
    origins.push(operation.operation.path)
  }
  for (const [name] of entriesOf(field(root, 'webhooks')))
    leftOut.push({
      name: `webhook ${name}`,
      reason: 'events are sent in the form of this service; declare an event type for it',
      path: ['webhooks', name],
    })
  return {
    document: { version: 1, connection: { name: cut(title, maxName), baseUrl: base.url }, actions },
    origins,
    leftOut,
    problems: [...base.problems, ...parts.security.notes()],
  }
}

function versionProblem(root: unknown): Problem | null {
  if (field(root, 'swagger') !== undefined)
    return problem(['swagger'], 'This is Swagger 2.0. Convert it to OpenAPI 3 first; its editors do that.')
  const version = field(root, 'openapi')
  if (version === undefined)
    return problem([], 'This is no OpenAPI document: the field "openapi" is missing.')
  if (/^3\.[01](\.|$)/.test(String(version))) return null
  return problem(['openapi'], `OpenAPI ${String(version).slice(0, 20)} is not read; 3.0 and 3.1 are.`)
}

/** The operations in the order of the document. What cannot be read of them goes to `leftOut`. */
function operationsOf(
  root: unknown,
  { resolve }: ConversionParts,
  leftOut: Converted['leftOut'][number][],
): Operation[] {
  return entriesOf(field(root, 'paths')).flatMap(([path, given]): Operation[] => {
    if (path.startsWith('x-')) return []
    const at = ['paths', path]
    const resolved = resolve(given)
    if ('fault' in resolved) {
      leftOut.push({ name: path, reason: resolved.fault, path: at })
      return []
    }
    const { value } = resolved
    return entriesOf(value)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        item: { value, path: at },
        operation: { value: operation, path: [...at, method] },
      }))
  })
}

/** The first server's address, its variables at their defaults. */
function baseUrlOf(root: unknown): { url: string | null; problems: Problem[] } {
  const [server, ...others] = listField(root, 'servers')
  const path = ['servers', 0, 'url']
  const none = (message: string) => ({
    url: null,
    problems: [warning(server === undefined ? [] : path, message)],
  })
  if (server === undefined) return none('The document names no server: set the base URL before calling.')
  const template = textField(server, 'url') ?? ''
  const filled = template.replace(/\{([^}]*)\}/g, (text, name: string) => {
    const value = field(field(field(server, 'variables'), name), 'default')
    return typeof value === 'string' || typeof value === 'number' ? String(value) : text
  })
  if (/\{[^}]*\}/.test(filled))
    return none(
      `The server ${cut(template, 200)} has a variable without a default: set the base URL before calling.`,
    )
  const parsed = BaseUrl.safeParse(filled)
  if (!parsed.success) {
    const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(filled)
    const reason = isRelative ? 'is relative' : `cannot be a base URL: ${parsed.error.issues[0]?.message}`
    return none(
      `The server ${cut(filled, 200)} ${reason} Set the base URL before calling.`.replace(
        'relative Set',
        'relative: set',
      ),
    )
  }
  const more = `Of ${others.length + 1} servers the first is taken.`
  return { url: parsed.data, problems: others.length === 0 ? [] : [warning(path, more)] }
}
