import { findConnection } from '#main/connections/connections.ts'
import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { type ClientTokenRecord, type Config, withClientTokens } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ClientToken, ClientTokenChange, NewClientToken } from '#shared/model/assistant.ts'
import type { ToolListing } from '#shared/model/tool.ts'

/** Every request compares its token with each of them. */
const maxTokens = 1000

/** Returns a token without its digest. @param uses see TokenUses. */
export function shownToken(
  { digest: _digest, ...token }: ClientTokenRecord,
  uses: ReadonlyMap<string, number>,
): ClientToken {
  const at = uses.get(token.tokenId)
  const { tools = 'all' } = token
  return { ...token, tools, lastUsedAt: at === undefined ? null : new Date(at).toISOString() }
}

/**
 * Adds a token. The result also has the token itself, which is not stored.
 *
 * @param now ISO 8601.
 * @throws ServiceError `workspace_not_found`, `connection_not_found`, `too_many_client_tokens`.
 */
export function createClientToken(
  config: Config,
  input: NewClientToken,
  now: string,
  random: RandomBytes,
): ConfigChange<ClientToken & { readonly token: string }> {
  if (config.clientTokens.size >= maxTokens) throw new ServiceError('too_many_client_tokens')
  requireScope(config, input)
  const token = `ccmcp_${random(32).toString('base64url')}`
  const record: ClientTokenRecord = {
    tokenId: newId('tok', random),
    ...stored(input),
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
    digest: sha256Hex(token),
  }
  return { next: withToken(config, record), result: { ...shownToken(record, new Map()), token } }
}

/** @throws ServiceError `client_token_not_found`, `workspace_not_found`, `connection_not_found`. */
export function changeClientToken(
  config: Config,
  tokenId: string,
  change: ClientTokenChange,
  now: string,
): ConfigChange<ClientTokenRecord> {
  const changed: ClientTokenRecord = nextVersion(findToken(config, tokenId), definedFields(change), now)
  const record = stored(changed)
  requireScope(config, record)
  return { next: withToken(config, record), result: record }
}

/** Returns fields of a token as they are stored: earlier versions do not know `tools`. */
function stored<Fields extends { readonly tools?: ToolListing | undefined }>({
  tools,
  ...fields
}: Fields): Omit<Fields, 'tools'> & { tools?: ToolListing } {
  return { ...fields, ...(tools !== undefined && tools !== 'all' && { tools }) }
}

/** @throws ServiceError `client_token_not_found`. */
export function removeClientToken(config: Config, tokenId: string): ConfigChange<void> {
  const { tokenId: found } = findToken(config, tokenId)
  return { next: withClientTokens(config, token => token.tokenId !== found), result: undefined }
}

/** @throws ServiceError `client_token_not_found`. */
export function findToken({ clientTokens }: Config, tokenId: string): ClientTokenRecord {
  const record = clientTokens.get(tokenId)
  if (record === undefined) throw new ServiceError('client_token_not_found')
  return record
}

function requireScope(config: Config, scope: Pick<ClientToken, 'workspaceId' | 'connectionId'>): void {
  const { workspaceId, connectionId } = scope
  if (workspaceId !== null) findWorkspace(config, workspaceId)
  if (connectionId === null) return
  const connection = findConnection(config, connectionId)
  if (workspaceId !== null && connection.workspaceId !== workspaceId)
    throw new ServiceError('connection_not_found', { detail: 'The workspace has no such connection.' })
}

function withToken(config: Config, record: ClientTokenRecord): Config {
  return { ...config, clientTokens: new Map(config.clientTokens).set(record.tokenId, record) }
}
