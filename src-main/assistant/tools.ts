import { orderOf, type PageRequest, unknownAfter } from '#main/connections/connection-order.ts'
import { requestDigest } from '#main/connections/request-digest.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { firstOf } from '#main/lib/first-of.ts'
import type { ActionRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { Tool } from '#shared/model/tool.ts'
import { inputSchemaOf } from './input-schema.ts'
import { combinedNames, connectionIdIn } from './tool-names.ts'

/** A tool, and the records that it is made of. */
export type CatalogueEntry = {
  readonly tool: Tool
  readonly connection: ConnectionRecord
  readonly action: ActionRecord
}

/** Where a tool is in a list: `index` is that of its action in the connection, in case the action is removed. */
export type ToolPlace = { readonly connectionId: string; readonly actionId: string; readonly index: number }

/** Leaves out connections and actions of a list. */
export type ToolFilter = {
  readonly connection?: (record: ConnectionRecord) => boolean
  readonly action?: (record: ActionRecord) => boolean
}

/**
 * Generates the tools for an AI assistant, in the order of creation: one for each enabled action of each enabled
 * connection with a base URL.
 *
 * @param after starts after this place. @throws ServiceError `invalid_input` if no list has had it lately.
 */
export function* toolsAfter(
  { connections }: Config,
  after: ToolPlace | null,
  wanted: ToolFilter,
): Generator<CatalogueEntry> {
  const { ids, after: indexAfter } = orderOf(connections)
  const start = after === null ? 0 : indexAfter(after.connectionId)
  if (start === null) throw unknownAfter()
  const begun = after === null ? undefined : connections.get(after.connectionId)
  if (after !== null && begun !== undefined) {
    const found = begun.actions.findIndex(({ actionId }) => actionId === after.actionId)
    yield* toolsIn(connections, begun, wanted, found === -1 ? after.index : found + 1)
  }
  for (let index = start; index < ids.length; index++) {
    const connection = connections.get(ids[index] ?? '')
    if (connection !== undefined) yield* toolsIn(connections, connection, wanted)
  }
}

/** Generates the tools of a connection, from its action with the index `first` on. */
function* toolsIn(
  connections: Config['connections'],
  connection: ConnectionRecord,
  wanted: ToolFilter,
  first = 0,
): Generator<CatalogueEntry> {
  if (!isOffered(connection) || wanted.connection?.(connection) === false) return
  for (const action of connection.actions.slice(first))
    if (action.isEnabled && wanted.action?.(action) !== false) yield entryOf(connections, connection, action)
}

/** Returns the number of the tools of a connection. */
export function countTools(connection: ConnectionRecord): number {
  return isOffered(connection) ? connection.actions.filter(({ isEnabled }) => isEnabled).length : 0
}

/** Returns the tools of a connection. */
export function toolsOfConnection({ connections }: Config, connection: ConnectionRecord): CatalogueEntry[] {
  return [...toolsIn(connections, connection, {})]
}

export const isOffered = ({ enabled, baseUrl }: ConnectionRecord) => enabled && baseUrl !== null

/** Returns where a tool is. @throws ServiceError `invalid_input` if no tool has the combined name. */
export function placeOf(config: Config, name: string): ToolPlace {
  const entry = toolNamed(config, name)
  if (entry === undefined) throw unknownAfter()
  return placeOfTool(entry)
}

export function placeOfTool({ connection, action }: CatalogueEntry): ToolPlace {
  const { connectionId } = connection
  const { actionId } = action
  return { connectionId, actionId, index: connection.actions.indexOf(action) }
}

/**
 * Returns a page of the tools.
 *
 * @param only those of one workspace, and of one connection. @param page `after` is a combined name.
 * @throws ServiceError `workspace_not_found`, `invalid_input` for an unknown `after`.
 */
export function listTools(
  config: Config,
  only: { readonly workspaceId?: string | undefined; readonly connectionId?: string | undefined } = {},
  { limit = Number.POSITIVE_INFINITY, after }: PageRequest = {},
): CatalogueEntry[] {
  const { workspaceId, connectionId } = only
  if (workspaceId !== undefined) findWorkspace(config, workspaceId)
  const connection = (record: ConnectionRecord) =>
    (workspaceId === undefined || record.workspaceId === workspaceId) &&
    (connectionId === undefined || record.connectionId === connectionId)
  const place = after === undefined ? null : placeOf(config, after)
  return firstOf(toolsAfter(config, place, { connection }), limit)
}

/** Returns the tools of `listTools` alone. @throws ServiceError `workspace_not_found`. */
export function toolsOf(config: Config, workspaceId?: string): Tool[] {
  return listTools(config, { workspaceId }).map(({ tool }) => tool)
}

/** Returns the tool of an action; undefined if there is none, or it is not offered. */
export function toolOf(config: Config, connectionId: string, actionId: string): CatalogueEntry | undefined {
  return offered(config, connectionId, action => action.actionId === actionId)
}

/** Returns the tool with a combined name; undefined if there is none, or it is not offered. */
export function toolNamed(config: Config, name: string): CatalogueEntry | undefined {
  const connectionId = connectionIdIn(config.connections, name)
  if (connectionId === undefined) return undefined
  const names = combinedNames(config.connections, connectionId)
  return offered(config, connectionId, ({ actionId }) => names?.get(actionId) === name)
}

/** Returns the tool of a workspace with a combined name; undefined if there is none, or it is not offered. */
export function toolOfWorkspace(
  config: Config,
  workspaceId: string,
  name: string,
): CatalogueEntry | undefined {
  const found = toolNamed(config, name)
  return found?.connection.workspaceId === workspaceId ? found : undefined
}

/** Returns the tool with a name of its own in a connection; undefined if there is none, or it is not offered. */
export function toolIn(config: Config, connectionId: string, toolName: string): CatalogueEntry | undefined {
  return offered(config, connectionId, action => action.toolName === toolName)
}

/** Returns the tools of some actions, in the order of creation. */
export function toolsOfActions(config: Config, actionIds: ReadonlySet<string>): CatalogueEntry[] {
  return [...toolsAfter(config, null, { action: ({ actionId }) => actionIds.has(actionId) })]
}

function offered(
  { connections }: Config,
  connectionId: string,
  isMeant: (action: ActionRecord) => boolean,
): CatalogueEntry | undefined {
  const connection = connections.get(connectionId)
  if (connection === undefined || !isOffered(connection)) return undefined
  const action = connection.actions.find(one => one.isEnabled && isMeant(one))
  return action && entryOf(connections, connection, action)
}

/** Returns the digest of what the calls of a tool send. */
export function digestOf({ connection, action }: CatalogueEntry): string {
  const known = digests.get(action)
  const { baseUrl, auth } = connection
  if (known?.baseUrl === baseUrl && known.auth === auth) return known.digest
  const digest = requestDigest(connection, action)
  digests.set(action, { baseUrl, auth, digest })
  return digest
}
const digests = new WeakMap<
  ActionRecord,
  Pick<ConnectionRecord, 'baseUrl' | 'auth'> & { readonly digest: string }
>()

/**
 * Returns a tool as it is now; null if it is gone, or if its calls no longer send what was decided on.
 *
 * @param decided the entry of the catalogue at the time of the decision.
 */
export function unchanged(config: Config, decided: CatalogueEntry): CatalogueEntry | null {
  const now = toolOf(config, decided.connection.connectionId, decided.action.actionId)
  return now !== undefined && digestOf(now) === digestOf(decided) ? now : null
}

/** Tools are kept with their actions, which are immutable. */
const kept = new WeakMap<ActionRecord, Tool>()

function entryOf(
  connections: Config['connections'],
  connection: ConnectionRecord,
  action: ActionRecord,
): CatalogueEntry {
  const name = combinedNames(connections, connection.connectionId)?.get(action.actionId)
  const known = kept.get(action)
  if (known !== undefined && known.name === name && known.connectionId === connection.connectionId)
    return { tool: known, connection, action }
  const tool = toTool(name, connection, action)
  kept.set(action, tool)
  return { tool, connection, action }
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
    annotations: annotationsOf(action),
  }
}

/** Returns what the method of an action says of its effect. */
export function annotationsOf({ method }: Pick<ActionRecord, 'method'>): Tool['annotations'] {
  return { readOnly: method === 'GET', destructive: method === 'DELETE' }
}
