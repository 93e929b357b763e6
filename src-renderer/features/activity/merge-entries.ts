import type { Attempt } from '#shared/model/attempt.ts'
import {
  type AttemptEntry,
  type Entry,
  isLiveEvent,
  type Rejection,
  type StoredEntry,
  timeOf,
} from './entry.ts'

/**
 * Returns one list, newest first. Of an event that is both live and stored, the live entry is used, which has more
 * details.
 *
 * @param live oldest first.
 * @param stored newest first, as are the attempts.
 * @param known eventIds of all live events, including those that wait while the feed is paused.
 */
export function mergeEntries(
  live: readonly Entry[],
  stored: readonly StoredEntry[],
  attempts: readonly AttemptEntry[],
  known: ReadonlySet<string>,
): readonly Entry[] {
  const older = stored.filter(({ eventId }) => !known.has(eventId))
  // Sorting is linear here, since the parts are sorted already. Entries of the same time keep their order.
  return [...live.toReversed(), ...older, ...attempts].sort(newestFirst)
}

function newestFirst(one: Entry, other: Entry): number {
  const [first, second] = [timeOf(one), timeOf(other)]
  return first === second ? 0 : first > second ? -1 : 1
}

/** Returns the attempts that belong to none of the rejections, in their order. */
export function otherAttempts(
  rejections: readonly Rejection[],
  attempts: readonly Attempt[],
): readonly AttemptEntry[] {
  const known = new Set(rejections.map(({ attemptId }) => attemptId))
  return attempts
    .filter(({ attemptId }) => !known.has(attemptId))
    .map(attempt => ({ type: 'attempt', key: attempt.attemptId, attempt }))
}

export function eventIdsOf(live: readonly Entry[]): Set<string> {
  return new Set(live.filter(isLiveEvent).map(({ eventId }) => eventId))
}
