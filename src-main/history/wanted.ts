import type { ConnectionRecord } from '#main/storage/config.ts'
import type { OccurrenceSelection, OccurrenceType } from '#shared/model/activity.ts'
import { kinds, type StoredKind } from './kinds.ts'

/** The selection that a list shows, resolved to records and ids. */
export type Wanted = Pick<OccurrenceSelection, 'cause' | 'eventName' | 'text'> & {
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

/** Returns the filter of the log; null if nothing in it is wanted. */
export function eventFilter({ eventIds, types, cause, eventName, text, above, below }: Wanted) {
  if (cause !== undefined || !storedTypes.some(type => types.has(type))) return null
  const hasReplays = types.has('event.replayed')
  const replays = types.has('event.accepted') === hasReplays ? undefined : hasReplays
  return { connectionIds: eventIds, replays, eventName, text, above, below }
}

/** Returns the filter of the history; null if nothing in it is wanted. */
export function recordFilter({ connectionIds, types, cause, eventName, text, above, below }: Wanted) {
  const wanted = storedKinds.filter(kind => types.has(kind))
  if (eventName !== undefined || wanted.length === 0) return null
  return { kinds: wanted, connectionIds, cause, text, above, below }
}
