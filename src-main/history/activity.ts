import { readEventText } from '#main/inbound/event-text.ts'
import { type Bus, createBus } from '#main/lib/bus.ts'
import type { Lookups } from '#main/occurrences/kind.ts'
import type { OccurrenceSummary } from '#main/storage/occurrence-storage.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { storedDiagnosis } from './attempts.ts'
import { createFeed, type Feed } from './feed.ts'
import { kindOf, numberIn, type Occurrence, recalled } from './kinds.ts'
import { createOccurrenceSlots, type EventOccurrence, isOnlyHere } from './occurrence-slots.ts'

/** Maximum number of items that are kept. */
export const maxEntries = 1000
const maxBytes = 8 * 1024 * 1024

/** The newest occurrences of all kinds. */
export type Activity = Pick<Feed<Occurrence, ActivityItem>, 'follow'> & {
  add(occurrence: Occurrence): void
  /** Publishes the connection of what was added, diagnoses included, or deleted; null for no connection. */
  readonly changes: Bus<string | null>
  /** Returns how long it took to accept an event, in milliseconds; null if the memory does not have it. */
  tookMsOf(eventId: string): number | null
  /**
   * Yields occurrences that only the memory has, about newest first: above all events that are not logged. Without those
   * that are added or dropped meanwhile.
   */
  unstored(): Generator<Occurrence>
  /** Returns since when the memory has everything that only it has, in milliseconds since 1970. */
  wholeSince(): number
  /** Returns an event that only the memory has; null for any other. */
  unstoredEvent(eventId: string): EventOccurrence | null
  /** Adds a record of an earlier run, before anything else is added. */
  recall(record: OccurrenceSummary): void
}

/**
 * @param nextNumber returns the numbers of items; they grow, also across restarts.
 * @param clock milliseconds since 1970.
 */
export function createActivity(
  isDeclared: Lookups['isDeclared'],
  nextNumber: () => number,
  clock: () => number,
): Activity {
  /** By attempt id. A diagnosis follows its attempt closely, so the newest are enough. */
  const diagnoses = new Map<string, Diagnosis>()
  const lookups: Lookups = {
    isDeclared,
    diagnosisOf: attemptId => diagnoses.get(attemptId) ?? null,
    notesOf: bodyText => readEventText(bodyText).notes,
  }
  const slots = createOccurrenceSlots(maxEntries, maxBytes)
  // Listeners only wake readers and do not throw.
  const changes = createBus<string | null>(() => {})
  let wholeSince = clock()
  const feed = createFeed<Occurrence, ActivityItem>({
    maxEntries,
    maxBytes,
    storage: {
      ...slots,
      drop(slot) {
        wholeSince = Math.max(wholeSince, (slots.onlyHereAt(slot) ?? 0) + 1)
        slots.drop(slot)
      },
    },
    weightOf: occurrence => kindOf(occurrence).weightOf(occurrence),
    toItem: (occurrence, id, at) => kindOf(occurrence).toItem(occurrence, { id, at }, lookups),
    toGap: (count, id, at) => ({ type: 'activity.missed', id, at, count }),
    nextSequence: nextNumber,
    clock,
  })

  function addDiagnosis(attemptId: string, diagnosis: Diagnosis): void {
    diagnoses.set(attemptId, diagnosis)
    const [oldest] = diagnoses.keys()
    if (diagnoses.size > maxEntries && oldest !== undefined) diagnoses.delete(oldest)
  }

  return {
    add(occurrence) {
      if (occurrence.kind === 'event.diagnosed') addDiagnosis(occurrence.attemptId, occurrence.diagnosis)
      // The item of a stored occurrence has the number in its id, so that it is the same after a restart.
      const isStored = kindOf(occurrence).stored !== null
      const number = isStored ? numberIn(occurrence.kind, occurrence.id) : null
      feed.add(occurrence, occurrence.at, number ?? undefined)
      changes.publish(occurrence.connectionId)
    },
    changes,
    recall(record) {
      const occurrence = recalled(record)
      if (occurrence === null) return
      const diagnosis = storedDiagnosis(record)
      if (diagnosis !== null) addDiagnosis(occurrence.id, diagnosis)
      feed.add(occurrence, occurrence.at, record.number)
    },
    tookMsOf: slots.tookMsOf,
    *unstored() {
      for (const occurrence of feed.newestFirst(slots.isLogged)) if (isOnlyHere(occurrence)) yield occurrence
    },
    wholeSince: () => wholeSince,
    unstoredEvent(eventId) {
      const event = slots.eventOf(eventId)
      return event !== null && isOnlyHere(event) ? event : null
    },
    follow: feed.follow,
  }
}
