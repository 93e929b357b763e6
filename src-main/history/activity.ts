import type { SeenEvent } from '#main/inbound/outcomes.ts'
import { createSequence } from '#main/lib/sequence.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import { type Outcome, toActivityItem, weightOf } from './entries.ts'
import { createFeed, type Feed } from './feed.ts'
import { createOutcomeStorage } from './outcome-storage.ts'

/** Items that are kept at most. */
export const maxEntries = 1000
const maxBytes = 8 * 1024 * 1024

/** What just happened on both channels (decisions: activity). */
export type Activity = Feed<Outcome, ActivityItem>

/**
 * @param isDeclared whether a connection declares an event type of this name now.
 * @param clock milliseconds since 1970.
 * @param nextSequence gives the numbers of items; they grow, also over a restart.
 */
export function createActivity(
  isDeclared: (event: SeenEvent) => boolean,
  clock: () => number,
  nextSequence: () => number = createSequence(clock),
): Activity {
  return createFeed<Outcome, ActivityItem>({
    maxEntries,
    maxBytes,
    storage: createOutcomeStorage(maxEntries, maxBytes),
    weightOf,
    toItem: (outcome, id, at) => toActivityItem(outcome, id, at, isDeclared),
    toGap: (count, id, at) => ({ type: 'activity.missed', id, at, count }),
    nextSequence,
    clock,
  })
}
