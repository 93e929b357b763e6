import { isObject } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import type { ConnectionAuth } from '#shared/model/connection-auth.ts'
import type { OfferedAuth } from '#shared/model/import-auth.ts'
import { type OperationName, operationName } from '#shared/model/import-operation.ts'
import type { Recognized } from '#shared/model/import-preview.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { maxActionsText, maxEntries, maxOmissions } from '../limits.ts'
import type { PlaceholderHints, SourceOperation } from '../operation.ts'
import { hideSecrets, type Problem, problem } from '../problem.ts'
import type { SignInFor } from '../sign-in.ts'
import { connectionNames } from './connection-names.ts'
import { convertEvents, type DocumentEvent } from './convert-events.ts'
import {
  type ConversionParts,
  type ConvertedOperation,
  convertOperation,
  type DocumentAction,
  type Operation,
  tagsOf,
  toolNameSource,
} from './convert-operation.ts'
import { createResolve, entriesOf, field, oncePerObject, type Resolve, textField } from './json-value.ts'
import { createHintReader } from './read-hints.ts'
import { createSchemas } from './schemas.ts'
import { createSecurity } from './security.ts'
import { type FoundServer, readServers, type Servers } from './servers.ts'
import { createToolNames, cut, variablePrefix } from './texts.ts'
import { upgradeSwagger } from './upgrade-swagger.ts'

/** A description of an API by its operations, which have the form of OpenAPI 3 whatever they come from. */
export type ApiSource = Pick<Recognized, 'format' | 'version'> &
  Servers & {
    /** The document that `$ref` refers to. Its `components` and `security` say how the API signs in its callers. */
    readonly root: unknown
    readonly title: string | null
    readonly documentVersion: string | null
    readonly operations: readonly Operation[]
    /** Operations that cannot be read. */
    readonly leftOut: readonly LeftOutPart[]
    /** Where the text has the title and the security schemes. */
    readonly titleAt: JsonPath
    readonly schemesAt: JsonPath
  }

export type Converted = {
  readonly recognized: Recognized
  /** An import document. */
  readonly document: {
    readonly version: 1
    readonly connection: {
      readonly name: string
      readonly baseUrl: string | null
      readonly auth?: ConnectionAuth
    }
    readonly actions: readonly DocumentAction[]
    readonly events: readonly DocumentEvent[]
  }
  /** For each action and event the path of its operation or webhook in the text. */
  readonly origins: { readonly actions: readonly JsonPath[]; readonly events: readonly JsonPath[] }
  readonly operations: readonly SourceOperation[]
  /** The tags of each event. */
  readonly eventTags: readonly (readonly string[])[]
  readonly titleAt: JsonPath
  readonly servers: readonly ConvertedServer[]
  /** The number of operations left out that are not listed. */
  readonly moreLeftOut: number
  readonly auth: readonly OfferedAuth[]
  readonly placeholderHints: ReadonlyMap<string, PlaceholderHints>
  readonly leftOut: readonly (ConvertedOperation['leftOut'][number] & {
    readonly operation?: OperationName
    /** The action that the part belongs to, if any. */
    readonly toolName?: string
  })[]
  readonly problems: readonly Problem[]
}

/** A server with the connection that its operations make. */
export type ConvertedServer = FoundServer & {
  readonly isNeeded: boolean
  /** The name of a new connection. */
  readonly name: string
  /** The sign-in of a new connection; null for none. */
  readonly auth: ConnectionAuth | null
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const maxName = 120
/** Parameters of all actions together. Because of references, an operation can be larger than its text. */
const maxParameters = 200_000

/**
 * Converts a parsed OpenAPI 3 or Swagger 2.0 document to an import document. Lists everything that the import document
 * cannot express, with the reason. Changes a Swagger document. Pure otherwise.
 *
 * @param constants replace placeholders of paths.
 * @param documentUrl the address of the document, which relative servers refer to; null if it is unknown.
 * @param wanted keys of servers that the import asks for.
 */
export function convertOpenApi(
  given: unknown,
  constants: Constants,
  documentUrl: string | null,
  signIn: SignInFor,
  wanted: ReadonlySet<string>,
): Converted | { readonly refused: Problem } {
  const read = field(given, 'swagger') === undefined ? readVersion(given) : upgradeSwagger(given)
  if ('refused' in read) return read
  const { root, format, version } = read
  const info = field(root, 'info')
  const isSwagger = format === 'swagger'
  const found = operationsOf(root, createResolve(root))
  const source: ApiSource = {
    format,
    version,
    root,
    title: textField(info, 'title'),
    documentVersion: versionText(field(info, 'version')),
    ...readServers(root, found.operations, isSwagger ? ['host'] : ['servers', 0, 'url'], documentUrl, wanted),
    ...found,
    titleAt: ['info', 'title'],
    schemesAt: isSwagger ? ['securityDefinitions'] : ['components', 'securitySchemes'],
  }
  return convertApi(source, constants, signIn)
}

/** Converts the operations of an API to an import document. Pure. */
export function convertApi(
  source: ApiSource,
  constants: Constants,
  signIn: SignInFor,
): Converted | { readonly refused: Problem } {
  const { root, needed } = source
  const [base] = needed
  const title = source.title ?? 'Imported API'
  const prefix = variablePrefix(title)
  const resolve = createResolve(root)
  const byServer = Map.groupBy(source.operations, source.serverOf)
  const securities = needed.map((server, index) =>
    createSecurity(
      root,
      prefix,
      resolve,
      source.schemesAt,
      signIn(server.url, index === 0),
      byServer.get(index) ?? [],
    ),
  )
  const shared = { resolve, schemas: createSchemas(resolve), constants, prefix, serverOf: source.serverOf }
  const partsOf = securities.map((security): ConversionParts => ({ ...shared, security }))
  const [parts] = partsOf
  if (parts === undefined) throw new Error('An API has a server.')
  const found: Found[] = []
  const leftOut = new LeftOutList()
  leftOut.add(source.leftOut)
  let parameters = 0
  let size = 0
  let actions = 0
  let moreLeftOut = 0
  for (const operation of source.operations) {
    const { path } = operation.operation
    const server = source.serverOf(operation)
    const converted = convertOperation(operation, partsOf[Number(server)] ?? parts)
    parameters += converted.parameters
    if (parameters > maxParameters)
      return { refused: problem(path, `The operations have more than ${maxParameters} parameters in total.`) }
    if (converted.action === null && found.length - actions >= maxEntries) {
      moreLeftOut++
      leftOut.add(converted.leftOut)
      continue
    }
    found.push({ operation, converted, server: typeof server === 'number' ? server : 0 })
    if (converted.action === null) continue
    if (++actions > maxEntries)
      return { refused: problem(path, `The document has more than ${maxEntries} operations. Split it.`) }
    size += JSON.stringify(converted.action).length
    if (size > maxActionsText)
      return {
        refused: problem(path, 'The actions of the document are larger than 10 MiB in total. Split it.'),
      }
  }
  const hooks = convertEvents(root, source.operations, parts)
  // Before the calls are read, whose credentials the actions do not need.
  const problems = [...source.problems, ...securities.flatMap(security => security.notes())]
  const listed = listOperations(found, parts)
  leftOut.add(listed.leftOut)
  leftOut.count(moreLeftOut)
  leftOut.add(hooks.leftOut)
  // Sign-in of Postman collections stays in the headers of the actions.
  const offered = source.format === 'postman' ? [] : parts.security.offered()
  const { newAuth: auth } = parts.security
  const connection = { name: cut(title, maxName), baseUrl: base.baseUrl, ...(auth !== null && { auth }) }
  const all = [...needed, ...source.alternatives]
  const names = connectionNames(title, needed)
  return {
    recognized: {
      format: source.format,
      version: source.version,
      title: source.title === null ? null : cut(hideSecrets(source.title), maxName),
      documentVersion: source.documentVersion,
      operations: source.operations.length,
      webhooks: hooks.count,
      baseUrl: base.baseUrl,
      signIn: parts.security.signIn(),
    },
    document: { version: 1, connection, actions: listed.actions, events: hooks.events },
    origins: { actions: listed.origins, events: hooks.origins },
    operations: listed.operations,
    eventTags: hooks.tags,
    moreLeftOut,
    auth: offered,
    placeholderHints: listed.hints,
    titleAt: source.titleAt,
    servers: all.map((server, index) => ({
      ...server,
      isNeeded: index < needed.length,
      name: names[index] ?? title,
      auth: securities[index]?.newAuth ?? null,
    })),
    leftOut: leftOut.all(),
    problems,
  }
}

type Found = {
  readonly operation: Operation
  readonly converted: ConvertedOperation
  readonly server: number
}

function listOperations(found: readonly Found[], parts: Pick<ConversionParts, 'schemas' | 'resolve'>) {
  const toolNames = nameTools(found)
  const hints = createHintReader(parts)
  const actions: DocumentAction[] = []
  const origins: JsonPath[] = []
  const leftOut: LeftOutPart[] = []
  const operations = found.map((one): SourceOperation => {
    const { operation, converted, server } = one
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
      ...{ name, tags: tagsOf(operation.operation.value), placeholders, leftOut: refusal, server },
      action: action === null ? null : index,
    }
  })
  return { actions, origins, leftOut, operations, hints: hints.known }
}

/**
 * Returns unique tool names. Those at the base URL come first, and of these the ones of paths without placeholders, as in
 * earlier imports of the document.
 */
function nameTools(found: readonly Found[]): ReadonlyMap<Found, string> {
  const nameFor = createToolNames()
  const named = found.filter(({ converted }) => converted.action !== null)
  const rank = ({ converted, server }: Found) =>
    (server === 0 ? 0 : 2) + (converted.placeholders.length === 0 ? 0 : 1)
  const ordered = named.toSorted((one, other) => rank(one) - rank(other))
  return new Map(ordered.map(one => [one, nameFor(toolNameSource(one.operation))]))
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

type ReadRoot = { readonly root: unknown; readonly format: 'openapi' | 'swagger'; readonly version: string }

function readVersion(root: unknown): ReadRoot | { readonly refused: Problem } {
  const refuse = (path: JsonPath, message: string) => ({ refused: problem(path, message) })
  const version = field(root, 'openapi')
  if (version === undefined)
    return refuse([], 'This is not an OpenAPI document: the field "openapi" is missing.')
  if (typeof version !== 'string' && typeof version !== 'number')
    return refuse(['openapi'], 'The field "openapi" must be a version, such as 3.0.3.')
  // Without quotes, 3.0 is the number 3.
  const [, minor = '0'] = /^3(?:\.([012])(?:\.|$)|$)/.exec(String(version).trim()) ?? [null, null]
  if (minor !== null) return { root, format: 'openapi', version: `3.${minor}` }
  const shown = String(version).slice(0, 20)
  return refuse(['openapi'], `OpenAPI ${shown} is not supported. Use 3.0, 3.1 or 3.2.`)
}

/** The version of an API, which YAML may read as a number. */
function versionText(version: unknown): string | null {
  return typeof version === 'string' || typeof version === 'number'
    ? cut(hideSecrets(String(version)), maxName)
    : null
}

/** Returns the operations in the order of the document, and those that cannot be read. */
function operationsOf(root: unknown, resolve: Resolve): Pick<ApiSource, 'operations' | 'leftOut'> {
  const leftOut: LeftOutPart[] = []
  const leaveOut = (name: string, reason: string, path: JsonPath) => {
    // Many paths can share an item. Only so many are listed.
    if (leftOut.length < maxOmissions) leftOut.push({ name: cut(name, maxName), reason, path })
  }
  const operations = entriesOf(field(root, 'paths')).flatMap(([path, given]): Operation[] => {
    if (path.startsWith('x-')) return []
    const at = ['paths', path]
    const resolved = resolve(given)
    if ('error' in resolved) {
      leaveOut(path, resolved.error, at)
      return []
    }
    const { value } = resolved
    if (!isObject(value)) return []
    const { known, others } = operationsIn(value)
    for (const [name, steps] of others)
      leaveOut(`${name} ${path}`, 'OpenAPI has no method of this name', [...at, ...steps])
    return known.map(([method, operation, steps]) => ({
      method: method.toUpperCase(),
      path,
      item: { value, path: at },
      operation: { value: operation, path: [...at, ...steps] },
    }))
  })
  for (const [path] of entriesOf(field(root, 'x-ms-paths')))
    leaveOut(path, 'it is among the paths of an extension (x-ms-paths)', ['x-ms-paths', path])
  return { operations, leftOut }
}

/** Fields of a path item that are not operations. */
const otherFields = new Set([
  '$ref',
  'summary',
  'description',
  'servers',
  'parameters',
  'additionalOperations',
])
/** Operations of all methods, in documents of Amazon's API Gateway. */
const anyMethod = 'x-amazon-apigateway-any-method'
/** Operations of one path item with a method that cannot be read. */
const maxOthers = 20

/**
 * The operations of a path item, with the steps that lead to them, and what else is one by its content. OpenAPI 3.2 lists
 * those of other methods apart.
 */
const operationsIn = oncePerObject(item => {
  const known: (readonly [method: string, operation: unknown, steps: readonly string[]])[] = []
  const others: (readonly [name: string, steps: readonly string[]])[] = []
  for (const [name, value] of entriesOf(item))
    if (methods.includes(name)) known.push([name, value, [name]])
    else if (name === anyMethod) known.push(['any', value, [name]])
    else if (isObject(value) && !otherFields.has(name))
      if (!name.startsWith('x-') || Object.hasOwn(value, 'responses')) others.push([name, [name]])
  for (const [name, value] of entriesOf(field(item, 'additionalOperations'))) {
    const steps = ['additionalOperations', name]
    if (/^[a-z]{1,20}$/i.test(name)) known.push([name, value, steps])
    else others.push([name, steps])
  }
  return { known, others: others.slice(0, maxOthers) }
})
