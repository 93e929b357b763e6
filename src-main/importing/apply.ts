import { newActionRecord } from '#main/connections/actions.ts'
import {
  createConnection,
  findConnection,
  requireOwnQuery,
  withConnection,
} from '#main/connections/connections.ts'
import { newEventTypeRecord } from '#main/connections/event-types.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import type { ImportResult } from '#shared/model/import-preview.ts'
import type { Plan } from './plan.ts'
import { nextSource } from './reimport/address.ts'
import type { Origin } from './reimport/items.ts'

export type Applied = Omit<ImportResult, 'warnings'>

/**
 * Applies a plan without errors to the configuration that it was made for, completely or not at all. If there is nothing
 * to create, returns the same configuration object. Pure.
 *
 * @param now ISO 8601.
 * @param origin what to keep of the document, so that it can be imported again; null for none.
 */
export function applyPlan(
  config: Config,
  plan: Pick<Plan, 'connection' | 'actions' | 'eventTypes' | 'skipped'>,
  now: string,
  random: RandomBytes,
  origin: Origin | null = null,
): ConfigChange<Applied> {
  if (plan.connection === null) throw new Error('A plan without a connection cannot be applied.')
  const { connectionId, ...fields } = plan.connection
  const { baseUrl, auth } = fields
  const created = {
    actions: plan.actions.map(({ toolName }) => toolName),
    eventTypes: plan.eventTypes.map(({ eventName }) => eventName),
  }
  const skipped = { actions: [...plan.skipped.actions], eventTypes: [...plan.skipped.eventTypes] }
  const nothing = created.actions.length === 0 && created.eventTypes.length === 0

  const before =
    connectionId === null
      ? createConnection(config, fields, now, random).result
      : findConnection(config, connectionId)
  const isSame = baseUrl === before.baseUrl && JSON.stringify(auth) === JSON.stringify(before.auth)
  if (connectionId !== null && nothing && isSame)
    return { next: config, result: { connectionId, created, skipped } }
  const kept = origin !== null && isFromSameSource(before, origin) ? origin : null
  const importedAs = (operation: string | undefined) =>
    kept !== null && operation !== undefined && { imported: { operation } }
  const actions = plan.actions.map((action, index) => ({
    ...newActionRecord(action, now, random),
    ...importedAs(kept?.actions[index]),
  }))
  const eventTypes = plan.eventTypes.map((type, index) => ({
    ...newEventTypeRecord(type, now, random),
    ...importedAs(kept?.eventTypes[index]),
  }))
  const record = nextVersion(
    before,
    {
      baseUrl,
      ...(auth !== undefined && { auth }),
      actions: [...before.actions, ...actions],
      eventTypes: [...before.eventTypes, ...eventTypes],
      ...(kept !== null && { source: nextSource(before.source, kept.source, now) }),
    },
    now,
  )
  requireOwnQuery(record)
  return {
    next: withConnection(config, record),
    result: { connectionId: record.connectionId, created, skipped },
  }
}

/** Returns whether a connection keeps a document as its source: its first one, or that one again. */
function isFromSameSource({ source }: ConnectionRecord, origin: Origin): boolean {
  const { hash, url } = origin.source
  return source === undefined || source.hash === hash || (url !== undefined && source.url === url)
}
