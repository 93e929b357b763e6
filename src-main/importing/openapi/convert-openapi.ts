import { isObject } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { hasPair } from '#shared/model/action-path.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import { type OperationName, operationName } from '#shared/model/import-operation.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { BaseUrl } from '#shared/model/urls.ts'
import { maxEntries, maxOmissions } from '../limits.ts'
import type { PlaceholderHints, SourceOperation } from '../operation.ts'
import { type Problem, problem, warning } from '../problem.ts'
import {
  type ConversionParts,
  type ConvertedOperation,
  convertOperation,
  type DocumentAction,
  type Operation,
  toolNameSource,
} from './convert-operation.ts'
import { createResolve, entriesOf, field, listField, oncePerObject, textField } from './json-value.ts'
import { createCallReader } from './read-call.ts'
import { createHintReader } from './read-hints.ts'
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
  readonly operations: readonly SourceOperation[]
  /** The number of operations left out that are not listed. */
  readonly moreLeftOut: number
  readonly placeholderHints: ReadonlyMap<string, PlaceholderHints>
  readonly leftOut: readonly (ConvertedOperation['leftOut'][number] & {
    readonly operation?: OperationName
    /** The action that the part belongs to, if any. */
    readonly toolName?: string
  })[]
  readonly problems: readonly Problem[]
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const maxName = 120
const maxServer = 2048
/** Parameters of all actions together. Because of references, an operation can be larger than its text. */
const maxParameters = 200_000

/**
 * Converts a parsed OpenAPI 3.0 or 3.1 document to an import document. Lists everything that the import document cannot
 * express, with the reason. Pure.
 *
 * @param constants replace placeholders of paths.
 */
export function convertOpenApi(
  root: unknown,
  constants: Constants,
): Converted | { readonly refused: Problem } {
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
    constants,
    prefix,
  }
  const found: Found[] = []
  const leftOut = new LeftOutList()
  let parameters = 0
  let size = 0
  let actions = 0
  let moreLeftOut = 0
  for (const operation of operationsOf(root, parts, leftOut)) {
    const { path } = operation.operation
    const converted = convertOperation(operation, parts)
    parameters += converted.parameters
    if (parameters > maxParameters)
      return { refused: problem(path, `The operations have more than ${maxParameters} parameters in total.`) }
    if (converted.action === null && found.length - actions >= maxEntries) {
      moreLeftOut++
      leftOut.add(converted.leftOut)
      continue
    }
    found.push({ operation, converted })
    if (converted.action === null) continue
    if (++actions > maxEntries)
      return { refused: problem(path, `The document has more than ${maxEntries} operations. Split it.`) }
    size += JSON.stringify(converted.action).length
    if (size > maxImportBytes)
      return {
        refused: problem(path, 'The actions of the document are larger than 10 MiB in total. Split it.'),
      }
  }
  const webhooks = entriesOf(field(root, 'webhooks')).map(([name]) => ({
    name: `webhook ${cut(name, maxName)}`,
    reason: 'events have their own format; declare an event type instead',
    path: ['webhooks', name],
  }))
  // Before the calls are read, whose credentials the actions do not need.
  const problems = [...base.problems, ...parts.security.notes()]
  const listed = listOperations(found, parts)
  leftOut.add(listed.leftOut)
  leftOut.count(moreLeftOut)
  leftOut.add(webhooks)
  const connection = { name: cut(title, maxName), baseUrl: base.url }
  return {
    document: { version: 1, connection, actions: listed.actions },
    origins: listed.origins,
    operations: listed.operations,
    moreLeftOut,
    placeholderHints: listed.hints,
    leftOut: leftOut.all(),
    problems,
  }
}

type Found = { readonly operation: Operation; readonly converted: ConvertedOperation }

function listOperations(found: readonly Found[], parts: ConversionParts) {
  const toolNames = nameTools(found)
  const readCall = createCallReader(parts)
  const hints = createHintReader(parts)
  const actions: DocumentAction[] = []
  const origins: JsonPath[] = []
  const leftOut: LeftOutPart[] = []
  const operations = found.map((one): SourceOperation => {
    const { operation, converted } = one
    const { action, refusal, placeholders } = converted
    const name = operationName(operation.method, operation.path)
    const toolName = toolNames.get(one) ?? null
    const index = actions.length
    if (action !== null && toolName !== null) {
      actions.push({ ...action, toolName })
      origins.push(operation.operation.path)
    }
    const ofAction = action === null || toolName === null ? {} : { toolName }
    for (const part of converted.leftOut) leftOut.push({ ...part, ...ofAction, operation: name })
    hints.read(operation, placeholders)
    return {
      ...{ name, tags: tagsOf(operation.operation.value), placeholders, toolName, leftOut: refusal },
      action: action === null ? null : index,
      call: refusal?.reason === 'placeholder' ? readCall(operation) : null,
    }
  })
  return { actions, origins, leftOut, operations, hints: hints.known }
}

/** Returns unique tool names. Those of paths without placeholders come first, so that constants change no name. */
function nameTools(found: readonly Found[]): ReadonlyMap<Found, string> {
  const isFixed = ({ converted }: Found) => converted.placeholders.length === 0
  const nameFor = createToolNames()
  const named = [
    ...found.filter(one => isFixed(one) && one.converted.action !== null),
    ...found.filter(one => !isFixed(one)),
  ]
  return new Map(named.map(one => [one, nameFor(toolNameSource(one.operation))]))
}

/** Tags of an operation that are read, and characters of one. */
const maxTags = 20
const maxTag = 100

function tagsOf(operation: unknown): string[] {
  return listField(operation, 'tags')
    .slice(0, maxTags)
    .filter(tag => typeof tag === 'string')
    .map(tag => cut(tag, maxTag))
}

type LeftOutPart = Converted['leftOut'][number]

/** Collects the first 1,000 omitted parts and counts the rest. */
class LeftOutList {
  readonly #listed: LeftOutPart[] = []
  #more = 0

  add(parts: readonly LeftOutPart[]): void {
    for (const part of parts)
      if (this.#listed.length < maxOmissions) this.#listed.push(part)
      else this.#more++
  }

  /** Counts parts that are not listed. */
  count(parts: number): void {
    this.#more += parts
  }

  all(): LeftOutPart[] {
    if (this.#more === 0) return this.#listed
    return [...this.#listed, { name: `${this.#more} more parts`, reason: 'they are not listed', path: [] }]
  }
}

function versionProblem(root: unknown): Problem | null {
  if (field(root, 'swagger') !== undefined)
    return problem(
      ['swagger'],
      'This is Swagger 2.0. Convert it to OpenAPI 3 first, for example with the Swagger Editor.',
    )
  const version = field(root, 'openapi')
  if (version === undefined)
    return problem([], 'This is not an OpenAPI document: the field "openapi" is missing.')
  if (typeof version !== 'string' && typeof version !== 'number')
    return problem(['openapi'], 'The field "openapi" must be a version, such as 3.0.3.')
  // Without quotes, 3.0 is the number 3.
  if (/^3(?:$|\.[01](?:\.|$))/.test(String(version).trim())) return null
  return problem(['openapi'], `OpenAPI ${String(version).slice(0, 20)} is not supported. Use 3.0 or 3.1.`)
}

/** Returns the operations in the order of the document. Adds unreadable ones to `leftOut`. */
function operationsOf(root: unknown, { resolve }: ConversionParts, leftOut: LeftOutList): Operation[] {
  return entriesOf(field(root, 'paths')).flatMap(([path, given]): Operation[] => {
    if (path.startsWith('x-')) return []
    const at = ['paths', path]
    const resolved = resolve(given)
    if ('fault' in resolved) {
      leftOut.add([{ name: cut(path, maxName), reason: resolved.fault, path: at }])
      return []
    }
    const { value } = resolved
    return (isObject(value) ? operationsIn(value) : []).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      item: { value, path: at },
      operation: { value: operation, path: [...at, method] },
    }))
  })
}

const operationsIn = oncePerObject(item => entriesOf(item).filter(([name]) => methods.includes(name)))

/** Returns the first server's URL, with the defaults of its variables. */
function baseUrlOf(root: unknown): { url: string | null; problems: Problem[] } {
  const [server, ...others] = listField(root, 'servers')
  const path = ['servers', 0, 'url']
  const none = (message: string) => ({
    url: null,
    problems: [warning(server === undefined ? [] : path, message)],
  })
  if (server === undefined) return none('The document has no server and therefore no base URL.')
  const template = textField(server, 'url') ?? ''
  if (template.length > maxServer) return none(`The server ${cut(template, 200)} is too long for a base URL.`)
  const filled = template.replace(/\{([^{}]*)\}/g, (text, name: string) => {
    const value = field(field(field(server, 'variables'), name), 'default')
    return typeof value === 'string' || typeof value === 'number' ? cut(String(value), maxServer) : text
  })
  if (hasPair(filled, '{', '}'))
    return none(
      `The server ${cut(template, 200)} has a variable without a default, so it cannot be a base URL.`,
    )
  const parsed = BaseUrl.safeParse(filled)
  if (!parsed.success) {
    const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(filled)
    const reason = isRelative
      ? 'is relative, so it cannot be a base URL.'
      : `cannot be a base URL: ${parsed.error.issues[0]?.message}`
    return none(`The server ${cut(filled, 200)} ${reason}`)
  }
  const more = `The document has ${others.length + 1} servers. The first one is used.`
  return { url: parsed.data, problems: others.length === 0 ? [] : [warning(path, more)] }
}
