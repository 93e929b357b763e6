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
 * One list, newest first, of what is in memory and what is older. An event that is in both is shown as it
 * is in memory, which knows more of it.
 *
 * @param live oldest first, as the stream brings it.
 * @param stored newest first; so are the attempts.
 * @param known eventIds of everything in memory, that which is held back while the feed is paused included.
 */
export function mergeEntries(
  live: readonly Entry[],
  stored: readonly StoredEntry[],
  attempts: readonly AttemptEntry[],
  known: ReadonlySet<string>,
): readonly Entry[] {
  const older = stored.filter(({ eventId }) => !known.has(eventId))
  return mergeByTime(mergeByTime(live.toReversed(), older), attempts)
}

/** Returns the attempts that none of the rejections is about, in their order. */
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

/** Both newest first; what happened at the same time stands in the order of the arguments. */
function mergeByTime(first: readonly Entry[], second: readonly Entry[]): readonly Entry[] {
  if (second.length === 0) return first
  const merged: Entry[] = []
  let at = 0
  for (const entry of second) {
    for (;;) {
      const next = first[at]
      if (next === undefined || timeOf(next) < timeOf(entry)) break
      merged.push(next)
      at++
    }
    merged.push(entry)
  }
  for (; at < first.length; at++) {
    const next = first[at]
    if (next !== undefined) merged.push(next)
  }
  return merged
}
