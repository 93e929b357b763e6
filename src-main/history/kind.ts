import type { OccurrenceBounds, OccurrenceSummary } from '#main/storage/occurrence-storage.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { ConnectionCounts } from './statistics/connection-counts.ts'

/** What every occurrence has. It never changes; what is found out later is added by its id. */
export type AnyOccurrence = {
  readonly kind: string
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number
  /** Null for what belongs to no connection. */
  readonly connectionId: string | null
}

/** The `id` and `at` of an item of the activity. */
export type Place = Pick<ActivityItem, 'id' | 'at'>

/** What a reader joins to an occurrence, by id. */
export type Lookups = {
  /** Whether a connection declares an event type of this name now. */
  isDeclared(event: { readonly connectionId: string; readonly eventName: string }): boolean
  /** Null where none has been found. */
  diagnosisOf(attemptId: string): Diagnosis | null
}

/** How occurrences of a kind outlive a restart. */
export type Stored<Occurrence> = OccurrenceBounds & {
  /** The kind's name in the storage. */
  readonly name: string
  /** Records written in a second, in the long run: strangers can cause any number of refusals. */
  readonly writesPerSecond: number
  /** What it is about within its connection, such as an action's id; empty for nothing. */
  subjectOf(occurrence: Occurrence): string
  /** What lists show, apart from its id, time, connection and subject. */
  summaryOf(occurrence: Occurrence): object
  /** Null where the record cannot be read. */
  fromSummary(record: OccurrenceSummary): Occurrence | null
}

/**
 * Everything that the history has to know of a kind of occurrence. Methods, since TypeScript compares their
 * parameters both ways: the entry of an occurrence's own kind can be used for it without a type assertion.
 */
export type Kind<Occurrence extends AnyOccurrence> = {
  /** What its ids begin with. */
  readonly prefix: string
  /** Null for what is kept in memory only. */
  readonly stored: Stored<Occurrence> | null
  /** About how much memory it keeps alive in the feed, in bytes. */
  weightOf(occurrence: Occurrence): number
  /** Returns what the activity shows, made when somebody reads it. */
  toItem(occurrence: Occurrence, place: Place, lookups: Lookups): ActivityItem
  /** An error is written at most once a second, with how many there were. */
  readonly logLevel: 'debug' | 'error'
  readonly logMessage: string
  /** Ids, names and codes, never a body, a header, an address or a token. */
  logFields(occurrence: Occurrence): object
  /** Counts it in the statistics of its connection; returns whether it did. */
  count(occurrence: Occurrence, counts: ConnectionCounts): boolean
}

/** An entry for each kind of a union of occurrences. */
export type KindsOf<Union extends AnyOccurrence> = {
  readonly [Name in Union['kind']]: Kind<Extract<Union, { readonly kind: Name }>>
}

/** Returns undefined for what is not JSON, which no schema accepts. */
export function parseStored(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
