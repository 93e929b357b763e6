import { requestDigest } from '#main/connections/request-digest.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { ActionRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import type { Tool } from '#shared/model/tool.ts'

/** A tool, and the records that it is made of. */
export type CatalogueEntry = {
  readonly tool: Tool
  readonly connection: ConnectionRecord
  readonly action: ActionRecord
}

const catalogues = new WeakMap<Config['connections'], readonly CatalogueEntry[]>()

/**
 * Returns the tools for an AI assistant: one for each enabled action of each enabled connection with a base URL, in the
 * order of creation. The result is kept with the connections, which are immutable.
 *
 * @param workspaceId only this workspace; undefined for all.
 * @throws ServiceError `workspace_not_found`.
 */
export function catalogueOf(config: Config, workspaceId?: string): readonly CatalogueEntry[] {
  const all = catalogues.get(config.connections) ?? makeCatalogue(config)
  catalogues.set(config.connections, all)
  if (workspaceId === undefined) return all
  findWorkspace(config, workspaceId)
  return all.filter(({ connection }) => connection.workspaceId === workspaceId)
}

/** Returns the tools of `catalogueOf` alone. @throws ServiceError `workspace_not_found`. */
export function toolsOf(config: Config, workspaceId?: string): Tool[] {
  return catalogueOf(config, workspaceId).map(({ tool }) => tool)
}

/** Returns the digest of what the calls of a tool send. */
export function digestOf({ connection, action }: CatalogueEntry): string {
  return requestDigest(connection, action)
}

/**
 * Returns a tool as it is now; null if it is gone, or if its calls no longer send what was decided on.
 *
 * @param decided the entry of the catalogue at the time of the decision.
 */
export function unchanged(config: Config, decided: CatalogueEntry): CatalogueEntry | null {
  const { actionId } = decided.action
  const now = catalogueOf(config).find(({ action }) => action.actionId === actionId)
  return now !== undefined && digestOf(now) === digestOf(decided) ? now : null
}

function makeCatalogue(config: Config): CatalogueEntry[] {
  const names = combinedNames(config)
  return Array.from(config.connections.values())
    .filter(({ enabled, baseUrl }) => enabled && baseUrl !== null)
    .flatMap(connection =>
      connection.actions
        .filter(({ isEnabled }) => isEnabled)
        .map(action => {
          const name = names.get(connection.connectionId)?.get(action.actionId)
          return { tool: toTool(name, connection, action), connection, action }
        }),
    )
}

function toTool(name: string | undefined, { connectionId }: ConnectionRecord, action: ActionRecord): Tool {
  if (name === undefined) throw new Error(`${action.actionId} has no combined name.`)
  return {
    name,
    connectionId,
    actionId: action.actionId,
    toolName: action.toolName,
    method: action.method,
    description: action.description,
    inputSchema: inputSchemaOf(action.parameters),
    annotations: { readOnly: action.method === 'GET', destructive: action.method === 'DELETE' },
  }
}

/**
 * Returns the JSON Schema of a tool's arguments. It accepts what a call accepts, except for null as an optional argument:
 * some clients cannot read a list of types. Objects may have any content.
 */
export function inputSchemaOf(parameters: readonly Parameter[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, type, description }) => [
        name,
        { type: parameterKinds[type].schemaType, description },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

const maxLength = 64
const maxSlugLength = 20
const tagLength = 4
const hashLength = 8

/** Combined tool names by connectionId and actionId. */
type ToolNames = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Returns a unique name for each action of the configuration: `<slug>_<4 characters of the connectionId>__<toolName>`.
 * Disabled actions and connections have names too, so that enabling one never changes another name. The first `__` ends
 * the connection's part, which itself contains none.
 */
function combinedNames({ connections }: Config): ToolNames {
  const taken = new Set<string>()
  return new Map(
    Array.from(connections.values(), connection => {
      const prefix = firstFree(prefixesOf(connection), taken)
      return [connection.connectionId, namesWithin(prefix, connection)]
    }),
  )
}

function namesWithin(prefix: string, { actions }: ConnectionRecord): Map<string, string> {
  const room = maxLength - prefix.length
  // Reserves the uncut names first, so that a shortened name never takes one of them.
  const taken = new Set(actions.map(({ toolName }) => toolName).filter(toolName => toolName.length <= room))
  return new Map(
    actions.map(({ actionId, toolName }) => [
      actionId,
      prefix + (toolName.length <= room ? toolName : firstFree(cutsOf(toolName, room), taken)),
    ]),
  )
}

/** Generates prefixes for a connection, the best first: with characters of its id, then of a hash. */
function* prefixesOf({ slug, connectionId }: ConnectionRecord): Generator<string> {
  const words = slug.replace(/[^a-z0-9]+/g, '_').replace(/^_/, '')
  const start = words.slice(0, maxSlugLength).replace(/_$/, '') || 'c'
  const random = connectionId.replace(/^conn_/, '').replace(/[^A-Za-z0-9]/g, '')
  for (let at = 0; at + tagLength <= random.length; at++)
    yield `${start}_${random.slice(at, at + tagLength)}__`
  for (let round = 0; ; round++)
    yield `${start}_${sha256Hex(`${connectionId} ${round}`).slice(0, tagLength)}__`
}

/** Generates forms of a tool name cut to `room` characters, each ending with a hash of the whole name. */
function* cutsOf(toolName: string, room: number): Generator<string> {
  const start = toolName.slice(0, room - hashLength - 1)
  yield `${start}_${sha256Hex(toolName).slice(0, hashLength)}`
  for (let round = 0; ; round++) yield `${start}_${sha256Hex(`${toolName} ${round}`).slice(0, hashLength)}`
}

function firstFree(candidates: Iterable<string>, taken: Set<string>): string {
  for (const candidate of candidates) {
    if (taken.has(candidate)) continue
    taken.add(candidate)
    return candidate
  }
  throw new Error('There are always more candidates.')
}
