import type { ActivityItem } from '#shared/model/activity.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import type { ActivityRecord } from '../../client/activity-store.ts'

/** An event in the feed: an item with the body of an event. */
export type LiveEvent = Extract<ActivityItem, { bodyText: string }>
export type Rejection = Extract<ActivityItem, { type: 'event.rejected' }>
export type Call = Extract<ActivityItem, { type: 'call.finished' }>
export type RefusedCall = Extract<ActivityItem, { type: 'call.refused' }>
export type Notification = Extract<ActivityItem, { type: 'workflow.notified' }>

/** A stored event with only what the list shows: a page holds up to a hundred thousand. */
export type StoredEntry = Readonly<Pick<StoredEvent, 'eventId' | 'eventName' | 'repeat' | 'replayOf'>> & {
  readonly type: 'event.stored'
  readonly at: string
  /** Distinguishes it from similar events: an order number. */
  readonly field: string | null
}

/** A refused request that is still in the list of attempts but no longer in the feed. */
export type AttemptEntry = { readonly type: 'attempt'; readonly key: string; readonly attempt: Attempt }

/** A row of the activity. */
export type Entry = ActivityRecord | StoredEntry | AttemptEntry

export function isLiveEvent(entry: Entry): entry is LiveEvent {
  return 'bodyText' in entry
}

/** Returns the unique key of a row, also used in addresses. A stored event keeps its key after a restart. */
export function keyOf(entry: Entry): string {
  if (entry.type === 'attempt') return entry.key
  return isLiveEvent(entry) || entry.type === 'event.stored' ? entry.eventId : entry.id
}

/** Returns the key of the row in an address, which may also contain the id of a refused request or of a call. */
export function resolveKey(item: string | null, entries: readonly Entry[]): string | null {
  const found = entries.find(entry => otherIdOf(entry) === item)
  return item === null || found === undefined ? item : keyOf(found)
}

function otherIdOf(entry: Entry): string | null {
  if (entry.type === 'attempt') return entry.attempt.attemptId
  if (entry.type === 'call.finished') return entry.callId
  return entry.type === 'event.rejected' ? entry.attemptId : null
}

export const timeOf = (entry: Entry): string => (entry.type === 'attempt' ? entry.attempt.at : entry.at)
