import { type CatalogueEntry, catalogueOf } from '#main/assistant/tools.ts'
import type { ClientTokenRecord, Config } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { type Permission, permissionOf } from '#shared/model/permission.ts'

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

/**
 * Returns the tools at an address, in the order of creation, those that the token may not call among them; none for a
 * revoked token or an address that no longer exists.
 */
export function toolsIn(config: Config, scope: McpScope): readonly ScopedTool[] {
  const byScope = kept.get(config) ?? new Map<string, readonly ScopedTool[]>()
  const key = scopeKey(scope)
  const tools = byScope.get(key) ?? findTools(config, scope)
  if (byScope.size >= maxKept) byScope.clear()
  kept.set(config, byScope.set(key, tools))
  return tools
}

/** Lists by configuration, which is immutable: every call looks its tool up. */
const kept = new WeakMap<Config, Map<string, readonly ScopedTool[]>>()
const maxKept = 20

function findTools(config: Config, scope: McpScope): readonly ScopedTool[] {
  try {
    requireScope(config, scope)
  } catch (error) {
    if (error instanceof ServiceError) return []
    throw error
  }
  const token = tokenOf(config, scope)
  const connectionId = scope.connectionId ?? token?.connectionId ?? null
  const inConnection = connectionId === null ? undefined : config.connections.get(connectionId)
  const workspaceId =
    scope.workspaceId ?? inConnection?.workspaceId ?? token?.workspaceId ?? defaultWorkspaceId
  return catalogueOf(config).flatMap(entry => {
    const { connection, tool } = entry
    if (connection.workspaceId !== workspaceId) return []
    if (connectionId !== null && connection.connectionId !== connectionId) return []
    // At a connection's own address, the names need no prefix.
    const name = scope.connectionId === null ? tool.name : tool.toolName
    return [{ ...entry, name, permission: token === null ? 'run' : permissionOf(token, tool) }]
  })
}
