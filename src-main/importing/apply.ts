import { newActionRecord } from '#main/connections/actions.ts'
import { addCases, newCaseRecord } from '#main/connections/cases.ts'
import {
  createConnection,
  findConnection,
  requireOwnQuery,
  withConnection,
} from '#main/connections/connections.ts'
import { newEventTypeRecord } from '#main/connections/event-types.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { ActionRecord, CaseRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import type { ImportResult } from '#shared/model/import-preview.ts'
import type { Plan } from './plan.ts'
import { nextSource } from './reimport/address.ts'
import type { Origin } from './reimport/items.ts'
import type { DocumentAction } from './validate-document.ts'

export type Applied = Omit<ImportResult, 'warnings'>

type OneApplied = Omit<Applied, 'connectionIds'>

/** The plan of a connection, and what to keep of its document, so that it can be imported again; null for none. */
export type PlanToApply = {
  readonly plan: Pick<Plan, 'connection' | 'actions' | 'eventTypes' | 'skipped'>
  readonly origin: Origin | null
}

/**
 * Applies the plans of all connections of an import, completely or not at all. Pure.
 *
 * @param now ISO 8601.
 */
export function applyPlans(
  config: Config,
  plans: readonly PlanToApply[],
  now: string,
  random: RandomBytes,
): ConfigChange<Applied> {
  let next = config
  const results = plans.map(({ plan, origin }) => {
    const applied = applyPlan(next, plan, now, random, origin)
    next = applied.next
    return applied.result
  })
  const [first] = results
  if (first === undefined) throw new Error('An import has a plan.')
  const namesOf = (of: 'created' | 'skipped') => ({
    actions: results.flatMap(one => one[of].actions),
    eventTypes: results.flatMap(one => one[of].eventTypes),
  })
  const connectionIds = results.map(({ connectionId }) => connectionId)
  const { connectionId } = first
  return {
    next,
    result: { connectionId, connectionIds, created: namesOf('created'), skipped: namesOf('skipped') },
  }
}

/**
 * Applies a plan without errors to the configuration that it was made for, completely or not at all. If there is nothing
 * to create, returns the same configuration object. Pure.
 *
 * @param now ISO 8601.
 * @param origin what to keep of the document, so that it can be imported again; null for none.
 */
function applyPlan(
  config: Config,
  plan: PlanToApply['plan'],
  now: string,
  random: RandomBytes,
  origin: Origin | null,
): ConfigChange<OneApplied> {
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
    next: addCases(withConnection(config, record), casesFor(record, actions, plan.actions, now, random)),
    result: { connectionId: record.connectionId, created, skipped },
  }
}

/**
 * Returns the cases that a document has for new actions.
 *
 * @param given the actions of the document, each in the place of its record.
 */
export function casesFor(
  { connectionId }: Pick<ConnectionRecord, 'connectionId'>,
  actions: readonly Pick<ActionRecord, 'actionId'>[],
  given: readonly Pick<DocumentAction, 'cases'>[],
  now: string,
  random: RandomBytes,
): CaseRecord[] {
  return actions.flatMap(({ actionId }, index) =>
    (given[index]?.cases ?? []).map(data => newCaseRecord({ connectionId, actionId }, data, now, random)),
  )
}

/** Returns whether a connection keeps a document as its source: its first one, or that one again. */
function isFromSameSource({ source }: ConnectionRecord, origin: Origin): boolean {
  const { hash, url, server } = origin.source
  if (source === undefined) return true
  return source.server === server && (source.hash === hash || (url !== undefined && source.url === url))
}
