import { randomBytes } from 'node:crypto'
import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import { publicKeyProblem } from '#main/signing/public-key.ts'
import type { CaseRecord, Config, ConnectionRecord, OldSecret } from '#main/storage/config.ts'
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
import { type ConnectionAuth, sendsQuery } from '#shared/model/connection-auth.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { Permission } from '#shared/model/permission.ts'
import type { RateLimit } from '#shared/model/rate-limit.ts'
import { isUnsigned, movableProblem, type Sender, senderOf, shortened } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { casesOf, withoutCases } from './cases.ts'
import { newId, newInboundToken, newSigningSecret, type RandomBytes, slugOf } from './identifiers.ts'
import { requestDigest } from './request-digest.ts'
import { activationFor, hasVerifyToken, resetActivation } from './sender-activation.ts'
import { findWorkspace } from './workspaces.ts'

/** @throws ServiceError `connection_not_found`. */
export function findConnection(config: Config, connectionId: string): ConnectionRecord {
  const record = config.connections.get(connectionId)
  if (record === undefined) throw new ServiceError('connection_not_found')
  return record
}

/** Returns a connection for lists, without credentials. */
export function summaryOf(record: ConnectionRecord): ConnectionSummary {
  return {
    ...ListedConnection.parse(record),
    ...factsOf(record),
    ...(isUnsigned(senderOf(record)) && { unsigned: true }),
  }
}

/**
 * Returns a connection without credentials.
 *
 * @param nowMs decides which earlier secrets are still accepted.
 * @param pausedUntil in milliseconds since 1970; null if it is not paused.
 */
export function detailsOf(
  record: ConnectionRecord,
  nowMs: number,
  pausedUntil: number | null = null,
): Connection {
  const expiries = inGrace(record.oldSecrets, nowMs).map(({ expiresAt }) => expiresAt)
  const moments = (secrets: readonly OldSecret[]) =>
    inGrace(secrets, nowMs).map(({ expiresAt }) => new Date(expiresAt).toISOString())
  return {
    ...ConnectionData.parse(record),
    sender: senderOf(record),
    auth: record.auth ?? null,
    rateLimit: record.rateLimit ?? null,
    pausedUntil: pausedUntil === null ? null : new Date(pausedUntil).toISOString(),
    ...factsOf(record),
    previousSecretExpiresAt: expiries.length === 0 ? null : new Date(Math.max(...expiries)).toISOString(),
    oldSecretsExpireAt: moments(record.oldSecrets),
    hasSenderSecret: record.senderSecret !== undefined && record.senderSecret !== '',
    oldSenderSecretsExpireAt: moments(record.oldSenderSecrets ?? []),
  }
}

/** Returns the settings with what is kept of their sender: nothing for the default one, and no secret of its own. */
function withSender<Settings extends { sender?: Sender | undefined }>(settings: Settings) {
  const sender = senderOf(settings)
  if (schemes[sender.scheme].hasOwnSecret) return { ...settings, sender: shortened(sender) }
  return { ...settings, sender: undefined, senderSecret: undefined, oldSenderSecrets: undefined }
}

/** Returns settings without a sign-in or a rate limit that is null. */
function withoutNull<
  Settings extends { auth?: ConnectionAuth | null | undefined; rateLimit?: RateLimit | null | undefined },
>({ auth, rateLimit, ...rest }: Settings) {
  return { ...rest, ...(auth != null && { auth }), ...(rateLimit != null && { rateLimit }) }
}

/** @throws ServiceError `invalid_input` for a query parameter that an action sends by itself. */
export function requireOwnQuery({ auth, actions }: Pick<ConnectionRecord, 'auth' | 'actions'>): void {
  if (auth?.in !== 'query') return
  const action = actions.find(one => sendsQuery(one, auth.name))
  if (action === undefined) return
  const message = `The action ${action.toolName} sends a query parameter ${auth.name} already. Rename it, or remove it there.`
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'auth.name', message }] } })
}

const signedOf = (sender: Sender | undefined) => (sender?.scheme === 'template' ? sender.signed : null)

/** @throws ServiceError `invalid_input` for a template whose signature does not tell its parts apart. */
function requireClear(sender: Sender | undefined): void {
  const message = sender === undefined ? null : movableProblem(sender)
  if (message === null) return
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'sender.signed', message }] } })
}

/**
 * Returns the input with the format of a new template's bodies: JSON. A template that an earlier version has stored
 * without a format keeps reading forms, also when something else of it is changed.
 */
function withFormat<Input extends { readonly sender?: Sender | undefined }>(
  input: Input,
  before?: Sender,
): Input {
  const { sender } = input
  if (sender?.scheme !== 'template' || sender.body !== undefined) return input
  const isOld = before?.scheme === 'template' && before.body === undefined
  return isOld ? input : { ...input, sender: { ...sender, body: 'json' } }
}

/** @throws ServiceError `invalid_input` for a public key that its proof cannot take. */
function requireKey(sender: Sender | undefined): void {
  const message = sender === undefined ? null : publicKeyProblem(sender)
  if (message === null) return
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'sender.publicKey', message }] } })
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
  requireClear(input.sender)
  requireKey(input.sender)
  const retention = { ...config.settings.defaultRetention, ...definedFields(input.retention ?? {}) }
  const settings = withSender(
    ConnectionData.parse(
      withoutNull({ ...connectionDefaults, ...definedFields(withFormat(input)), retention }),
    ),
  )
  const record: ConnectionRecord = {
    connectionId: newId('conn', random),
    workspaceId,
    ...settings,
    ...activationFor(null, settings, random),
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
  random: RandomBytes = randomBytes,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  if (signedOf(change.sender) !== signedOf(before.sender)) requireClear(change.sender)
  requireKey(change.sender)
  const retention = { ...before.retention, ...definedFields(change.retention ?? {}) }
  const settings = ConnectionData.parse(
    withoutNull({ ...before, ...definedFields(withFormat(change, before.sender)), retention }),
  )
  // The same object while it is the same, because what is prepared for calls is cached by it.
  const auth = change.auth === undefined ? before.auth : settings.auth
  const { rateLimit } = settings
  const activation = activationFor(before, settings, random)
  const record = nextVersion(before, { ...withSender(settings), ...activation, auth, rateLimit }, now)
  if (change.auth !== undefined) requireOwnQuery(record)
  return replace(config, record)
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
  const oldSecrets = retire(before.signingSecret, before.oldSecrets, graceHours, nowMs)
  const secrets = { signingSecret: newSigningSecret(random), oldSecrets }
  return replace(config, nextVersion(before, secrets, new Date(nowMs).toISOString()))
}

/**
 * Sets the secret of the sender. The one before stays valid for the grace period, as the signing secret does. The same
 * secret again changes nothing.
 *
 * @throws ServiceError `connection_not_found`, `too_many_old_secrets`; `invalid_input` for a secret that cannot be the
 *   key of the scheme, and for the default scheme.
 */
export function setSenderSecret(
  config: Config,
  connectionId: string,
  secret: string,
  graceHours: GraceHours,
  nowMs: number,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  const sender = senderOf(before)
  const problem = schemes[sender.scheme].hasOwnSecret ? secretProblem(secret, sender) : noOwnSecret
  if (problem !== null)
    throw new ServiceError('invalid_input', { data: { issues: [{ path: 'secret', message: problem }] } })
  if (secret === before.senderSecret) return { next: config, result: before }
  const others = (before.oldSenderSecrets ?? []).filter(old => old.secret !== secret)
  const oldSenderSecrets = before.senderSecret
    ? retire(before.senderSecret, others, graceHours, nowMs)
    : others
  const secrets = { senderSecret: secret, oldSenderSecrets }
  return replace(config, nextVersion(before, secrets, new Date(nowMs).toISOString()))
}

/** @throws ServiceError `connection_not_found`; `invalid_input` for a scheme whose questions have no token. */
export function setVerifyToken(
  config: Config,
  connectionId: string,
  verifyToken: string,
  now: string,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  if (!hasVerifyToken(senderOf(before).scheme))
    throw new ServiceError('invalid_input', { data: { issues: [{ path: 'verifyToken', message: noToken }] } })
  return replace(config, nextVersion(before, { verifyToken }, now))
}

const noToken = 'The scheme of this sender has no verify token.'

/** Lets the questions of a sender be answered as if they were the first. @throws ServiceError `connection_not_found`. */
export function resetSender(
  config: Config,
  connectionId: string,
  now: string,
): ConfigChange<ConnectionRecord> {
  const before = findConnection(config, connectionId)
  return replace(config, nextVersion(before, resetActivation(before), now))
}

const noOwnSecret =
  'The default scheme uses the signing secret of the connection. Choose the scheme of the sender first.'

/**
 * Returns the replaced secrets with one more, the latest first.
 *
 * @throws ServiceError `too_many_old_secrets`.
 */
function retire(
  secret: string,
  oldSecrets: readonly OldSecret[],
  graceHours: GraceHours,
  nowMs: number,
): OldSecret[] {
  const accepted = graceHours === 0 ? [] : inGrace(oldSecrets, nowMs)
  if (accepted.length >= maxInGrace) throw new ServiceError('too_many_old_secrets')
  const expiresAt = graceHours === 0 ? 0 : nowMs + graceHours * hourMs
  const retired = oldSecrets.filter(old => !accepted.includes(old)).map(old => ({ ...old, expiresAt: 0 }))
  return [{ secret, expiresAt }, ...accepted, ...retired].slice(0, maxOldSecrets)
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
 * Returns the configuration with this record in place of the one with the same id, or at the end. Cases of actions that it
 * no longer has are removed. If the calls of an action now send something else, the permissions of client tokens to run
 * it end: they were given for what it sent.
 */
export function withConnection(config: Config, record: ConnectionRecord): Config {
  const { connectionId, updatedAt } = record
  const before = config.connections.get(connectionId)
  const next = { ...config, connections: new Map(config.connections).set(connectionId, record) }
  if (before === undefined) return next
  const left = withoutCases(next, casesOfGone(config, before, record))
  return withoutRun(left, changedActions(before, record), updatedAt)
}

/** Returns the cases of the actions that a connection no longer has. */
function casesOfGone(config: Config, before: ConnectionRecord, now: ConnectionRecord): CaseRecord[] {
  if (before.actions === now.actions) return []
  const kept = new Set(now.actions.map(({ actionId }) => actionId))
  return before.actions.flatMap(({ actionId }) => (kept.has(actionId) ? [] : casesOf(config, actionId)))
}

/** Returns the ids of the actions whose calls no longer send the same. */
function changedActions(before: ConnectionRecord, now: ConnectionRecord): Set<string> {
  const isSameConnection = before.baseUrl === now.baseUrl && before.auth === now.auth
  if (before.actions === now.actions && isSameConnection) return new Set()
  const known = new Map(before.actions.map(action => [action.actionId, action]))
  const changed = now.actions.filter(action => {
    const old = known.get(action.actionId)
    if (old === undefined || (old === action && isSameConnection)) return false
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
