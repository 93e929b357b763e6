import type { ConnectionRecord } from '#main/storage/config.ts'
import type { EventSummaryQuery } from '#main/storage/event-log.ts'
import type { OccurrenceFilter } from '#main/storage/occurrence-storage.ts'
import type { OccurrenceSelection, OccurrenceType } from '#shared/model/activity.ts'
import { kinds, type StoredKind } from './kinds.ts'

/** The filters that are not resolved to connections, types and numbers. */
export type Filters = Omit<OccurrenceSelection, 'workspaceId' | 'connectionId' | 'kinds' | 'since' | 'until'>

/** The selection that a list shows, resolved to records and ids. */
export type Wanted = {
  readonly filters: Filters
  readonly connections: readonly ConnectionRecord[]
  /** The ids of the connections; null for all. */
  readonly eventIds: readonly string[] | null
  /** The same, and a null among them stands for what belongs to no connection. */
  readonly connectionIds: readonly (string | null)[] | null
  readonly types: ReadonlySet<OccurrenceType>
  /** Numbers, exclusive. */
  readonly above: number
  readonly below: number
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
export function recordFilter({ filters, connectionIds, types, above, below }: Wanted) {
  const wanted = storedKinds.filter(kind => types.has(kind))
  if (!mayPass(inHistory, filters) || wanted.length === 0) return null
  return { ...filters, kinds: wanted, connectionIds, above, below }
}
