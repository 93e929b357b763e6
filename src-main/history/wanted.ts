import { listConnections } from '#main/connections/connection-order.ts'
import { findConnection } from '#main/connections/connections.ts'
import { sequenceOfTime } from '#main/lib/sequence.ts'
import { checkSubject, isCounted } from '#main/outbound/finished-call.ts'
import { type Config, type ConnectionRecord, searchedIds } from '#main/storage/config.ts'
import type { EventSummaryQuery } from '#main/storage/event-log.ts'
import type { OccurrenceFilter } from '#main/storage/occurrence-storage.ts'
import { neverSent } from '#shared/errors/call.ts'
import {
  type OccurrenceSelection,
  type OccurrenceType,
  occurrenceTypes,
  typesOfOutcome,
} from '#shared/model/activity.ts'
import { CallSource } from '#shared/model/call.ts'
import { kinds, type StoredKind } from './kinds.ts'

/** The filters that are not resolved to connections, types, calls and numbers. */
export type Filters = Pick<OccurrenceSelection, 'cause' | 'eventName' | 'text'>

/** The selection that a list shows, resolved to records and ids. */
export type Wanted = {
  readonly filters: Filters
  readonly connections: readonly ConnectionRecord[]
  /** The ids of the connections; null for all. */
  readonly eventIds: readonly string[] | null
  /** The same, and a null among them stands for what belongs to no connection. */
  readonly connectionIds: readonly (string | null)[] | null
  readonly types: ReadonlySet<OccurrenceType>
  /** Filters that only records of these types can fail. */
  readonly ofRecords: Pick<OccurrenceFilter, 'failed' | 'subjects' | 'sources' | 'causes'>
  /** Numbers, exclusive. */
  readonly above: number
  readonly below: number
}

const callTypes: readonly OccurrenceType[] = ['call.finished', 'call.refused']

/** The origins of calls that figures count. */
const countedSources = CallSource.options.filter(source => isCounted({ code: null, source }))

/**
 * Resolves a selection.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`.
 */
export function wantedOf(config: Config, given: OccurrenceSelection): Wanted {
  const { workspaceId, connectionId, since, until, outcome, made, actionId, source } = given
  const { cause, eventName, text } = given
  const connections =
    connectionId === undefined ? listConnections(config, workspaceId) : [findConnection(config, connectionId)]
  // An only connection is not everything: requests with an unknown token belong to none.
  const eventIds = connectionId === undefined ? searchedIds(config, connections) : [connectionId]
  const ofOutcome: readonly OccurrenceType[] =
    outcome === undefined ? occurrenceTypes : typesOfOutcome[outcome]
  const ofCalls = actionId === undefined && source === undefined ? occurrenceTypes : callTypes
  const types = (given.kinds ?? occurrenceTypes).filter(
    type =>
      ofOutcome.includes(type) && ofCalls.includes(type) && (made === undefined || type === 'call.finished'),
  )
  return {
    filters: { cause, eventName, text: text || undefined },
    connections,
    eventIds,
    connectionIds: connectionId === undefined && eventIds !== null ? [null, ...eventIds] : eventIds,
    types: new Set(types),
    ofRecords: {
      failed: outcome && outcome === 'failed',
      subjects: actionId === undefined ? undefined : [actionId, checkSubject + actionId],
      sources: source ? [source] : made === undefined ? undefined : countedSources,
      causes: made === undefined ? undefined : { areWanted: !made, among: neverSent },
    },
    above: since === undefined ? -1 : sequenceOfTime(since) - 1,
    below: until === undefined ? Number.MAX_SAFE_INTEGER : sequenceOfTime(until),
  }
}

/** The types of events in the log. */
export const storedTypes: readonly OccurrenceType[] = ['event.accepted', 'event.replayed']
/** The range of all numbers. */
export const everything = { above: -1, below: Number.MAX_SAFE_INTEGER }

/** The kinds of records in the history. */
export const storedKinds = Object.entries(kinds).flatMap(([kind, { stored }]) =>
  stored === null ? [] : [kind as StoredKind],
)

/** Whether a store has a filter. Nothing in it passes one that it does not have. */
type Known<Store> = { readonly [Name in keyof Filters]-?: Name extends keyof Store ? true : false }
const inLog: Known<EventSummaryQuery> = { cause: false, eventName: true, text: true }
const inHistory: Known<OccurrenceFilter> = { cause: true, eventName: false, text: true }

const mayPass = (known: Readonly<Record<string, boolean>>, filters: Filters) =>
  Object.entries(filters).every(([name, wanted]) => wanted === undefined || known[name] === true)

/** Returns whether an event may pass the filters. */
export const mayBeEvents = (filters: Filters) => mayPass(inLog, filters)

/** Returns the filter of the log; null if nothing in it is wanted. */
export function eventFilter({ filters, eventIds, types, above, below }: Wanted) {
  if (!mayBeEvents(filters) || !storedTypes.some(type => types.has(type))) return null
  const hasReplays = types.has('event.replayed')
  const replays = types.has('event.accepted') === hasReplays ? undefined : hasReplays
  return { ...filters, connectionIds: eventIds, replays, above, below }
}

/** Returns the filter of the history; null if nothing in it is wanted. */
export function recordFilter({ filters, ofRecords, connectionIds, types, above, below }: Wanted) {
  const wanted = storedKinds.filter(kind => types.has(kind))
  if (!mayPass(inHistory, filters) || wanted.length === 0) return null
  return { ...filters, ...ofRecords, kinds: wanted, connectionIds, above, below }
}
