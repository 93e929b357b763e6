import type { OccurrenceSummary } from '#main/storage/occurrence-storage.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { storedDiagnosis } from './attempts.ts'
import { createFeed, type Feed } from './feed.ts'
import type { Lookups } from './kind.ts'
import { kindOf, numberIn, type Occurrence, recalled } from './kinds.ts'
import { createOccurrenceSlots } from './occurrence-slots.ts'

/** Items that are kept at most. */
export const maxEntries = 1000
const maxBytes = 8 * 1024 * 1024

/** What just happened on both channels (decisions: activity). */
export type Activity = {
  add(occurrence: Occurrence): void
  /** Puts back a record of an earlier run, while nothing else has been added. */
  recall(record: OccurrenceSummary): void
  readonly follow: Feed<Occurrence, ActivityItem>['follow']
}

/**
 * @param nextNumber gives the numbers of items; they grow, also over a restart.
 * @param clock milliseconds since 1970.
 */
export function createActivity(
  isDeclared: Lookups['isDeclared'],
  nextNumber: () => number,
  clock: () => number,
): Activity {
  /** By the id of the attempt. A diagnosis is an item behind its attempt's, so the newest are enough. */
  const diagnoses = new Map<string, Diagnosis>()
  const lookups: Lookups = { isDeclared, diagnosisOf: attemptId => diagnoses.get(attemptId) ?? null }
  const feed = createFeed<Occurrence, ActivityItem>({
    maxEntries,
    maxBytes,
    storage: createOccurrenceSlots(maxEntries, maxBytes),
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
      // One that outlives a restart keeps its place in the activity, which is the number in its id.
      const isStored = kindOf(occurrence).stored !== null
      const number = isStored ? numberIn(occurrence.kind, occurrence.id) : null
      feed.add(occurrence, occurrence.at, number ?? undefined)
    },
    recall(record) {
      const occurrence = recalled(record)
      if (occurrence === null) return
      const diagnosis = storedDiagnosis(record)
      if (diagnosis !== null) addDiagnosis(occurrence.id, diagnosis)
      feed.add(occurrence, occurrence.at, record.number)
    },
    follow: feed.follow,
  }
}
