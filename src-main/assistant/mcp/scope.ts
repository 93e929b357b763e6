import type { SearchedConnection } from '#main/assistant/search/tool-search.ts'
import {
  annotationsOf,
  type CatalogueEntry,
  isOffered,
  type ToolFilter,
  type ToolPlace,
  toolIn,
  toolNamed,
  toolOf,
  toolsAfter,
  toolsOfConnection,
} from '#main/assistant/tools.ts'
import type { ActionRecord, ClientTokenRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { type EvaluatedTool, type Permission, permissionOf } from '#shared/model/permission.ts'

/** The address that a client uses and the token that it presents. They determine its tools. */
export type McpScope = {
  /** The workspace of the address; null for `/mcp` and for a connection's address. */
  readonly workspaceId: string | null
  readonly connectionId: string | null
  /** Null for the admin token. */
  readonly tokenId: string | null
}

/** A tool under the name that a client sees. */
export type ScopedTool = CatalogueEntry & { readonly name: string; readonly permission: Permission }

/** Returns a text that is the same for equal scopes only. */
export function scopeKey({ workspaceId, connectionId, tokenId }: McpScope): string {
  return JSON.stringify([workspaceId, connectionId, tokenId])
}

/**
 * Checks that an address exists and that the token may use it.
 *
 * @throws ServiceError `workspace_not_found`, `connection_not_found`, `unauthorized` for a revoked token.
 */
export function requireScope(config: Config, scope: McpScope): void {
  const { workspaceId, connectionId } = scope
  const token = tokenOf(config, scope)
  if (workspaceId !== null) {
    const isTheirs = isNullOr(token?.workspaceId, workspaceId) && isNullOr(token?.connectionId, null)
    if (!config.workspaces.has(workspaceId) || !isTheirs) throw new ServiceError('workspace_not_found')
  }
  if (connectionId !== null) {
    const connection = config.connections.get(connectionId)
    const isTheirs =
      isNullOr(token?.connectionId, connectionId) && isNullOr(token?.workspaceId, connection?.workspaceId)
    if (connection === undefined || !isTheirs) throw new ServiceError('connection_not_found')
  }
}

const isNullOr = (bound: string | null | undefined, value: string | null | undefined) =>
  bound === null || bound === undefined || bound === value

/** @throws ServiceError `unauthorized` for a revoked token. */
function tokenOf(config: Config, { tokenId }: McpScope): ClientTokenRecord | null {
  if (tokenId === null) return null
  const token = config.clientTokens.get(tokenId)
  if (token === undefined) throw new ServiceError('unauthorized')
  return token
}

/** The view of a client: the tools of a workspace or of a connection, and which of them its token may call. */
type View = {
  readonly workspaceId: string
  readonly connectionId: string | null
  readonly permissionFor: (tool: EvaluatedTool) => Permission
}

/** Returns null for a revoked token, or an address that no longer exists. */
function viewOf(config: Config, scope: McpScope): View | null {
  try {
    requireScope(config, scope)
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
  const token = tokenOf(config, scope)
  const connectionId = scope.connectionId ?? token?.connectionId ?? null
  const inConnection = connectionId === null ? undefined : config.connections.get(connectionId)
  const workspaceId =
    scope.workspaceId ?? inConnection?.workspaceId ?? token?.workspaceId ?? defaultWorkspaceId
  const permissionFor = (tool: EvaluatedTool) => (token === null ? 'run' : permissionOf(token, tool))
  return { workspaceId, connectionId, permissionFor }
}

const evaluatedTool = (action: ActionRecord): EvaluatedTool => ({
  actionId: action.actionId,
  annotations: annotationsOf(action),
})

const shows = (view: View, { connectionId, workspaceId }: ConnectionRecord) =>
  workspaceId === view.workspaceId && (view.connectionId === null || connectionId === view.connectionId)

function scoped({ connectionId }: McpScope, view: View, entry: CatalogueEntry): ScopedTool {
  // At a connection's own address, the names need no prefix.
  const { name, toolName } = entry.tool
  return {
    ...entry,
    name: connectionId === null ? name : toolName,
    permission: view.permissionFor(entry.tool),
  }
}

/** Returns the tool that a client sees under a name, also one that its token may not call; undefined if there is none. */
export function findScoped(config: Config, scope: McpScope, name: string): ScopedTool | undefined {
  const view = viewOf(config, scope)
  if (view === null) return undefined
  const entry =
    scope.connectionId === null ? toolNamed(config, name) : toolIn(config, scope.connectionId, name)
  return entry !== undefined && shows(view, entry.connection) ? scoped(scope, view, entry) : undefined
}

/**
 * Generates the tools at an address that the token may call, in the order of creation; none for a revoked token or an
 * address that no longer exists.
 *
 * @param after starts after this place. @throws ServiceError `invalid_input` if no list has had it lately.
 */
export function* scopedTools(
  config: Config,
  scope: McpScope,
  after: ToolPlace | null = null,
): Generator<ScopedTool> {
  const view = viewOf(config, scope)
  if (view === null) return
  const wanted: ToolFilter = {
    connection: record => shows(view, record),
    action: action => view.permissionFor(evaluatedTool(action)) !== 'refuse',
  }
  for (const entry of toolsAfter(config, after, wanted)) yield scoped(scope, view, entry)
}

/** Returns whether a client finds its tools on demand; false for a revoked token. */
export function isOnDemand({ clientTokens }: Config, { tokenId }: McpScope): boolean {
  return clientTokens.get(tokenId ?? '')?.tools === 'on demand'
}

/** Generates the connections at an address that have tools, with which of their actions the token may call. */
export function* scopedConnections(config: Config, scope: McpScope): Generator<SearchedConnection> {
  const view = viewOf(config, scope)
  if (view === null) return
  const isWanted = (action: ActionRecord) =>
    action.isEnabled && view.permissionFor(evaluatedTool(action)) !== 'refuse'
  for (const connection of config.connections.values())
    if (isOffered(connection) && shows(view, connection)) yield { connection, isWanted }
}

/** Returns an action as a client sees it; undefined if it is not offered there. */
export function scopedTool(
  config: Config,
  scope: McpScope,
  { connection, action }: Pick<CatalogueEntry, 'connection' | 'action'>,
): ScopedTool | undefined {
  const view = viewOf(config, scope)
  const entry = toolOf(config, connection.connectionId, action.actionId)
  return view !== null && entry !== undefined ? scoped(scope, view, entry) : undefined
}

/** Returns the tools of one connection as `scopedTools` does. */
export function scopedToolsOf(config: Config, scope: McpScope, connectionId: string): ScopedTool[] {
  const connection = config.connections.get(connectionId)
  const view = viewOf(config, scope)
  if (connection === undefined || view === null || !shows(view, connection)) return []
  return toolsOfConnection(config, connection)
    .map(entry => scoped(scope, view, entry))
    .filter(({ permission }) => permission !== 'refuse')
}
