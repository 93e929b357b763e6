import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { Config, ConnectionRecord, OldSecret } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { hourMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import {
  type Connection,
  type ConnectionChange,
  ConnectionData,
  type ConnectionSummary,
  connectionDefaults,
  type GraceHours,
  ListedConnection,
  type NewConnection,
} from '#shared/model/connection.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { Permission } from '#shared/model/permission.ts'
import { newId, newInboundToken, newSigningSecret, type RandomBytes, slugOf } from './identifiers.ts'
import { requestDigest } from './request-digest.ts'
import { findWorkspace } from './workspaces.ts'

/** @throws ServiceError `connection_not_found`. */
export function findConnection(config: Config, connectionId: string): ConnectionRecord {
  const record = config.connections.get(connectionId)
  if (record === undefined) throw new ServiceError('connection_not_found')
  return record
}

/** Returns a connection for lists, without credentials. */
export function summaryOf(record: ConnectionRecord): ConnectionSummary {
  return { ...ListedConnection.parse(record), ...factsOf(record) }
}

/** Returns a connection without credentials. @param nowMs decides which earlier secrets are still accepted. */
export function detailsOf(record: ConnectionRecord, nowMs: number): Connection {
  const expiries = inGrace(record.oldSecrets, nowMs).map(({ expiresAt }) => expiresAt)
  return {
    ...ConnectionData.parse(record),
    ...factsOf(record),
    previousSecretExpiresAt: expiries.length === 0 ? null : new Date(Math.max(...expiries)).toISOString(),
    oldSecretsExpireAt: expiries.map(expiresAt => new Date(expiresAt).toISOString()),
  }
}

function factsOf({ connectionId, workspaceId, actions, eventTypes, createdAt, updatedAt }: ConnectionRecord) {
  const actionCount = actions.length
  return { connectionId, workspaceId, actionCount, eventTypeCount: eventTypes.length, createdAt, updatedAt }
}

/**
 * Creates a connection with new credentials. It is enabled, so that its URL works at once.
 *
 * @param now ISO 8601.
 * @throws ServiceError `workspace_not_found`.
 */
export function createConnection(
  config: Config,
  input: NewConnection,
  now: string,
  random: RandomBytes,
): ConfigChange<ConnectionRecord> {
  const { workspaceId } = findWorkspace(config, input.workspaceId ?? defaultWorkspaceId)
  const retention = config.settings.defaultRetention
  const record: ConnectionRecord = {
    connectionId: newId('conn', random),
    workspaceId,
    ...ConnectionData.parse({ ...connectionDefaults, retention, ...definedFields(input) }),
    slug: slugOf(input.name),
    inboundToken: newInboundToken(random),
    signingSecret: newSigningSecret(random),
    oldSecrets: [],
    actions: [],
    eventTypes: [],
    createdAt: now,
    updatedAt: now,
  }
  return { next: withConnection(config, record), result: record }
}

export function changeConnection(
  config: Config,
  connectionId: string,
  change: ConnectionChange,
  now: string,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  const retention = { ...before.retention, ...definedFields(change.retention ?? {}) }
  const settings = ConnectionData.parse({ ...before, ...definedFields(change), retention })
  return replace(config, nextVersion(before, settings, now))
}

/** The number of earlier secrets that are accepted at the same time. */
const maxInGrace = 3
/** The number of earlier secrets that are kept, so that diagnoses recognize expired ones. */
const maxOldSecrets = 10

const inGrace = (secrets: readonly OldSecret[], nowMs: number) =>
  secrets.filter(({ expiresAt }) => expiresAt > nowMs)

/**
 * Replaces the signing secret. The old one stays valid for the grace period, and so do earlier ones in theirs. Without a
 * grace period, all of them end at once.
 *
 * @throws ServiceError `connection_not_found`, `too_many_old_secrets`.
 */
export function rotateSecret(
  config: Config,
  connectionId: string,
  graceHours: GraceHours,
  nowMs: number,
  random: RandomBytes,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  const accepted = graceHours === 0 ? [] : inGrace(before.oldSecrets, nowMs)
  if (accepted.length >= maxInGrace) throw new ServiceError('too_many_old_secrets')
  const expiresAt = graceHours === 0 ? 0 : nowMs + graceHours * hourMs
  const retired = before.oldSecrets
    .filter(old => !accepted.includes(old))
    .map(({ secret }) => ({ secret, expiresAt: 0 }))
  const oldSecrets = [{ secret: before.signingSecret, expiresAt }, ...accepted, ...retired]
  const secrets = { signingSecret: newSigningSecret(random), oldSecrets: oldSecrets.slice(0, maxOldSecrets) }
  return replace(config, nextVersion(before, secrets, new Date(nowMs).toISOString()))
}

/** Replaces the inbound token. The old URL stops working at once. */
export function regenerateToken(
  config: Config,
  connectionId: string,
  now: string,
  random: RandomBytes,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  return replace(config, nextVersion(before, { inboundToken: newInboundToken(random) }, now))
}

export function removeConnection(config: Config, connectionId: string): ConfigChange<ConnectionRecord> {
  const record = findConnection(config, connectionId)
  const connections = new Map(config.connections)
  connections.delete(connectionId)
  return { next: { ...config, connections }, result: record }
}

/**
 * Returns the configuration with this record in place of the one with the same id, or at the end. If the calls of an
 * action now send something else, the permissions of client tokens to run it end: they were given for what it sent.
 */
export function withConnection(config: Config, record: ConnectionRecord): Config {
  const { connectionId, updatedAt } = record
  const before = config.connections.get(connectionId)
  const next = { ...config, connections: new Map(config.connections).set(connectionId, record) }
  return before === undefined ? next : withoutRun(next, changedActions(before, record), updatedAt)
}

/** Returns the ids of the actions whose calls no longer send the same. */
function changedActions(before: ConnectionRecord, now: ConnectionRecord): Set<string> {
  if (before.actions === now.actions && before.baseUrl === now.baseUrl) return new Set()
  const known = new Map(before.actions.map(action => [action.actionId, action]))
  const changed = now.actions.filter(action => {
    const old = known.get(action.actionId)
    if (old === undefined || (old === action && before.baseUrl === now.baseUrl)) return false
    return requestDigest(before, old) !== requestDigest(now, action)
  })
  return new Set(changed.map(({ actionId }) => actionId))
}

/**
 * Removes permissions to run actions. Others stay: they only narrow what a token may do.
 *
 * @param now ISO 8601. A page that shows an older version of a token must not give them again.
 */
export function withoutRun(config: Config, actionIds: ReadonlySet<string>, now: string): Config {
  const ends = ([actionId, permission]: [string, Permission]) =>
    permission === 'run' && actionIds.has(actionId)
  const changed = [...config.clientTokens.values()].flatMap(token => {
    const permissions = Object.entries(token.permissions)
    return actionIds.size > 0 && permissions.some(ends)
      ? [nextVersion(token, { permissions: Object.fromEntries(permissions.filter(one => !ends(one))) }, now)]
      : []
  })
  if (changed.length === 0) return config
  const clientTokens = new Map(config.clientTokens)
  for (const token of changed) clientTokens.set(token.tokenId, token)
  return { ...config, clientTokens }
}

function replace(config: Config, record: ConnectionRecord): ConfigChange<ConnectionRecord> {
  return { next: withConnection(config, record), result: record }
}
