import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { ActionRecord, CaseRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { type ActionChange, ActionFields, type NewAction } from '#shared/model/action.ts'
import { sendsQuery } from '#shared/model/connection-auth.ts'
import { wireNameOf } from '#shared/model/parameter.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import { placeOf } from '#shared/request/write-request.ts'
import { addCases, casesOf } from './cases.ts'
import { checkedFields } from './checked-fields.ts'
import { findConnection, withConnection, withoutRun } from './connections.ts'
import { newId, type RandomBytes } from './identifiers.ts'
import { afterEdit, fieldsOfAction } from './imported.ts'
import { requestDigest } from './request-digest.ts'

/** @throws ServiceError `action_not_found`. */
export function findAction(connection: ConnectionRecord, actionId: string): ActionRecord {
  const record = connection.actions.find(action => action.actionId === actionId)
  if (record === undefined) throw new ServiceError('action_not_found')
  return record
}

/**
 * Creates the record of a new action, with defaults for missing fields. A missing tool name is derived from the name.
 * Does not check whether the tool name is taken.
 *
 * @param now ISO 8601.
 * @throws ServiceError `invalid_input` with all problems.
 */
export function newActionRecord(input: NewAction, now: string, random: RandomBytes): ActionRecord {
  const fields = checkedFields(ActionFields, {
    ...input,
    toolName: input.toolName ?? deriveToolName(input.name, sha256Hex),
    headers: input.headers ?? null,
    responseMapping: input.responseMapping ?? null,
  })
  return { actionId: newId('act', random), ...fields, createdAt: now, updatedAt: now }
}

/** @throws ServiceError `connection_not_found`, `invalid_input`, `duplicate_tool_name`. */
export function createAction(
  config: Config,
  connectionId: string,
  input: NewAction,
  now: string,
  random: RandomBytes,
): ConfigChange<ActionRecord> {
  const connection = findConnection(config, connectionId)
  const record = newActionRecord(input, now, random)
  refuseDuplicate(connection, record)
  refuseAuthQuery(connection, record)
  const actions = [...connection.actions, record]
  return { next: withConnection(config, nextVersion(connection, { actions }, now)), result: record }
}

/**
 * Changes the given fields. The resulting action must be valid as a whole. A new name does not change the tool name,
 * because the assistant may have it in a conversation.
 *
 * @throws ServiceError `connection_not_found`, `action_not_found`, `invalid_input`, `duplicate_tool_name`.
 */
export function changeAction(
  config: Config,
  connectionId: string,
  actionId: string,
  change: ActionChange,
  now: string,
): ConfigChange<ActionRecord> {
  const connection = findConnection(config, connectionId)
  const before = findAction(connection, actionId)
  const { sendsBody: _, ...others } = before
  // Null removes the field.
  const kept = change.sendsBody === null ? others : before
  const fields = checkedFields(ActionFields, {
    ...kept,
    ...definedFields({ ...change, sendsBody: change.sendsBody ?? undefined }),
  })
  const imported =
    before.imported && afterEdit(before.imported, fieldsOfAction(before), fieldsOfAction(fields), now)
  const record: ActionRecord = nextVersion(kept, { ...fields, ...(imported && { imported }) }, now)
  refuseDuplicate(connection, record)
  refuseAuthQuery(connection, record)
  const actions = connection.actions.map(action => (action === before ? record : action))
  return { next: withConnection(config, nextVersion(connection, { actions }, now)), result: record }
}

/** A removed action, its place in the connection's list, its cases, and the digest of what its calls sent. */
export type RemovedAction = {
  readonly connectionId: string
  readonly record: ActionRecord
  readonly index: number
  readonly cases: readonly CaseRecord[]
  readonly digest: string
}

/** @throws ServiceError `connection_not_found`, `action_not_found`. */
export function removeAction(
  config: Config,
  connectionId: string,
  actionId: string,
  now: string,
): ConfigChange<RemovedAction> {
  const connection = findConnection(config, connectionId)
  const record = findAction(connection, actionId)
  const index = connection.actions.indexOf(record)
  const actions = connection.actions.toSpliced(index, 1)
  return {
    next: withConnection(config, nextVersion(connection, { actions }, now)),
    result: {
      ...{ connectionId, record, index, cases: casesOf(config, actionId) },
      digest: requestDigest(connection, record),
    },
  }
}

/**
 * Restores a removed action in its place, with its id and its cases, so that its calls belong to it again. If the base URL has changed
 * meanwhile, the permissions of client tokens to run it end.
 *
 * @throws ServiceError `connection_not_found`, `duplicate_tool_name`, `too_many_cases`.
 */
export function restoreAction(
  config: Config,
  { connectionId, record, index, cases, digest }: RemovedAction,
  now: string,
): ConfigChange<ActionRecord> {
  const connection = findConnection(config, connectionId)
  refuseDuplicate(connection, record)
  refuseAuthQuery(connection, record)
  const actions = connection.actions.toSpliced(index, 0, record)
  const next = addCases(withConnection(config, nextVersion(connection, { actions }, now)), cases)
  const isSame = requestDigest(connection, record) === digest
  return { next: isSame ? next : withoutRun(next, new Set([record.actionId]), now), result: record }
}

/** @throws ServiceError `invalid_input` for a query parameter that the connection signs in with. */
function refuseAuthQuery({ auth }: ConnectionRecord, action: ActionRecord): void {
  if (auth?.in !== 'query' || !sendsQuery(action, auth.name)) return
  const index = action.parameters.findIndex(
    one => placeOf(one, action) === 'query' && wireNameOf(one) === auth.name,
  )
  const field = action.parameters[index]?.wireName === undefined ? 'name' : 'wireName'
  const path = index === -1 ? 'path' : `parameters.${index}.${field}`
  const message = `The connection signs in with the query parameter ${auth.name}. Rename or remove it here.`
  throw new ServiceError('invalid_input', { data: { issues: [{ path, message }] } })
}

function refuseDuplicate(connection: ConnectionRecord, { actionId, toolName }: ActionRecord): void {
  if (!connection.actions.some(action => action.toolName === toolName && action.actionId !== actionId)) return
  throw new ServiceError('duplicate_tool_name', {
    data: {
      issues: [{ path: 'toolName', message: `The connection already has an action named ${toolName}.` }],
    },
  })
}
