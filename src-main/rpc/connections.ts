import type { z } from 'zod'
import { listConnections } from '#main/connections/connection-order.ts'
import {
  changeConnection,
  createConnection,
  detailsOf,
  findConnection,
  regenerateToken,
  rotateSecret,
  summaryOf,
} from '#main/connections/connections.ts'
import { allCredentialsOf, credentialsOf } from '#main/connections/urls.ts'
import { blockedHost, hostOf } from '#main/outbound/address-guard.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import { ConnectionWithWarnings } from '#shared/model/connection.ts'
import { isSameLimit } from '#shared/model/rate-limit.ts'
import { movableProblem, senderOf } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import { connectionList, textMatcher } from './connection-list.ts'
import { deletedOne, type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'
import { senderSecrets } from './sender-secrets.ts'
import { senderTrials } from './sender-trials.ts'

export function connections(parts: RpcParts): Handlers['connections'] {
  const { store, held, random, clock, publicUrl, callLimits, engine, onError } = parts
  const details = (record: ConnectionRecord) => ({
    ...shown(record),
    ...warningsOf(record),
  })
  const shown = (record: ConnectionRecord) =>
    detailsOf(record, clock(), callLimits.pausedUntil(record.connectionId))
  const credentials = (record: ConnectionRecord) => credentialsOf(store.snapshot(), record, publicUrl())
  /** Makes the runs due that wait for a connection. There may be many, so that no answer waits for it. */
  const goOn = (connectionId: string) => void goOnNow(connectionId).catch(onError)
  async function goOnNow(connectionId: string): Promise<void> {
    if (store.snapshot().connections.get(connectionId)?.rateLimit !== undefined)
      await callLimits.beginLine(connectionId)
    await engine.goOn(connectionId)
  }
  return {
    list: ({ input: { workspaceId, text, ...page } }) =>
      listConnections(store.snapshot(), workspaceId, page, textMatcher(text)).map(summaryOf),
    ...connectionList(parts),
    ...senderTrials(parts),
    ...senderSecrets(parts, details),
    create: async ({ input }) => {
      const record = await store.update(config => createConnection(config, input, nowOf(parts), random))
      return { ...details(record), credentials: credentials(record) }
    },
    get: ({ input }) => details(findConnection(store.snapshot(), input.connectionId)),
    update: async ({ input: { connectionId, ifUpdatedAt, ...change } }) => {
      let before: ConnectionRecord | undefined
      const record = await store.update(config => {
        before = findConnection(config, connectionId)
        requireVersion(before, ifUpdatedAt, ConnectionWithWarnings, details)
        return changeConnection(config, connectionId, change, nowOf(parts), random)
      })
      if (before?.enabled !== record.enabled || !isSameLimit(before?.rateLimit, record.rateLimit))
        goOn(connectionId)
      return { ...shown(record), ...warningsOf(record, before?.baseUrl) }
    },
    remove: ({ input }) => deletedOne(held.remove(input.connectionId)),
    discard: async ({ input }) => ({
      restorableUntil: new Date(await held.discard(input.connectionId)).toISOString(),
    }),
    restore: async ({ input }) => details(await held.restore(input.connectionId)),
    resume: async ({ input: { connectionId } }) => {
      findConnection(store.snapshot(), connectionId)
      await callLimits.resume(connectionId)
      goOn(connectionId)
      return details(findConnection(store.snapshot(), connectionId))
    },
    credentials: ({ input }) => {
      const config = store.snapshot()
      return allCredentialsOf(config, findConnection(config, input.connectionId), publicUrl())
    },
    rotateSecret: async ({ input: { connectionId, graceHours } }) =>
      credentials(
        await store.update(config => rotateSecret(config, connectionId, graceHours, clock(), random)),
      ),
    regenerateToken: async ({ input }) =>
      credentials(
        await store.update(config => regenerateToken(config, input.connectionId, nowOf(parts), random)),
      ),
  }
}

/**
 * Warns about a base URL whose calls will be refused, which may be saved because the guard checks every call; about a
 * sign-in that now goes to another host; about a secret that was set for another scheme, which stays until the right one is set; and about a template of an earlier
 * version whose signature does not tell its parts apart.
 *
 * @param baseUrlBefore the base URL before a change; by default there was none.
 */
export function warningsOf(
  record: ConnectionRecord,
  baseUrlBefore: string | null = record.baseUrl,
): Pick<z.infer<typeof ConnectionWithWarnings>, 'warnings'> {
  const { baseUrl, senderSecret } = record
  const blocked = baseUrl === null ? null : blockedHost(baseUrl)
  const problem = senderSecret ? secretProblem(senderSecret, senderOf(record)) : null
  const [from, to] = [hostOf(baseUrlBefore), hostOf(baseUrl)]
  const isMoved = record.auth !== undefined && from !== null && to !== null && from !== to
  const movable = movableProblem(senderOf(record))
  const warnings = [
    ...(blocked === null
      ? []
      : [{ path: 'baseUrl', message: `Calls to this address are refused: it is ${blocked}.` }]),
    ...(isMoved
      ? [{ path: 'baseUrl', message: `The sign-in of the connection is now sent to ${to}, not to ${from}.` }]
      : []),
    ...(problem === null
      ? []
      : [{ path: 'sender', message: `The secret that is set does not fit the scheme. ${problem}` }]),
    ...(movable === null ? [] : [{ path: 'sender.signed', message: movable }]),
  ]
  return warnings.length === 0 ? {} : { warnings }
}
