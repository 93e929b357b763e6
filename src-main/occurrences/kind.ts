import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { OccurrenceBounds, OccurrenceSummary } from '#main/storage/occurrence-storage.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { CallSource } from '#shared/model/call.ts'
import type { Diagnosis, DiagnosisCode } from '#shared/model/diagnosis.ts'
import type { EventNote } from '#shared/model/inbound-event.ts'

/** The fields of every occurrence. An occurrence never changes; later findings are added by its id. */
type AnyOccurrence = {
  readonly kind: string
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Null for no connection. */
  readonly connectionId: string | null
}

/** The `id` and `at` of an item of the activity. */
export type Place = Pick<ActivityItem, 'id' | 'at'>

/** Values that items join to an occurrence by id. */
export type Lookups = {
  /** Returns whether a connection now declares an event type of this name. */
  isDeclared(event: { readonly connectionId: string; readonly eventName: string }): boolean
  /** Returns null if none was found. */
  diagnosisOf(attemptId: string): Diagnosis | null
  /** Returns the notes on an event's body, which has to be read for them. A list leaves them out. */
  notesOf(event: Pick<LoggedEvent, 'eventName' | 'bodyText' | 'reading'>): EventNote[]
}

/** The counters of one connection. `at` in milliseconds since 1970. */
export type Counters = {
  /** @param oldSecret whether a secret from before a rotation signed it. */
  accepted(event: CountedEvent, tookMs: number, oldSecret?: boolean): void
  /** Counts an exact repeat that was ignored. */
  repeated(event: CountedEvent, tookMs: number): void
  rejected(rejection: CountedRejection): void
  /** Adds the diagnosis of an attempt. Returns whether it is the last attempt. */
  diagnosed(attemptId: string, diagnosis: DiagnosisCode): boolean
  /** @param outcome the class of its status, such as `2xx`, or the code of its error. */
  called(call: CountedCall, outcome: string): void
  /** Counts a call for which nothing was sent. Returns whether it is counted. */
  notCalled(call: Omit<CountedCall, 'ok' | 'totalMs'>): boolean
  /** Counts a run that has failed. Returns whether it is counted. */
  runFailed(workflowId: string, eventName: string): boolean
}

export type CountedEvent = {
  readonly id: string
  readonly eventName: string
  readonly at: number
  /** The run that has its deduplication key already. */
  readonly duplicateOf?: string | null
  readonly startsNothing?: boolean
}

export type CountedCall = {
  readonly at: number
  readonly ok: boolean
  readonly totalMs: number
  readonly source: CallSource
  /** Set for a call of a run that an alert has started. */
  readonly isForAlert?: true
}

export type CountedRejection = {
  readonly at: number
  /** Null if no attempt is kept. */
  readonly attemptId: string | null
  readonly code: string
  readonly diagnosis: DiagnosisCode | null
}

/** How occurrences of a kind are stored. */
export type Stored<Occurrence> = OccurrenceBounds & {
  /** The kind's name in the storage. */
  readonly name: string
  /** Records written per second on average: strangers can cause any number of refusals. */
  readonly writesPerSecond: number
  /** Returns the subject within its connection, such as an action's id; empty for none. */
  subjectOf(occurrence: Occurrence): string
  /** Returns what lists show, apart from its id, time, connection and subject. */
  summaryOf(occurrence: Occurrence): object
  /** Returns null for an unreadable record. */
  fromSummary(record: OccurrenceSummary): Occurrence | null
}

/**
 * Everything that the service knows about a kind of occurrence. The functions are methods because TypeScript checks method
 * parameters bivariantly: the entry of a kind then accepts its own type of occurrence without a type assertion.
 */
export type Kind<Occurrence extends AnyOccurrence> = {
  /** The prefix of its ids. */
  readonly prefix: string
  /** Null if it is kept only in memory. */
  readonly stored: Stored<Occurrence> | null
  /** Returns about how many bytes of memory it keeps alive in the feed. */
  weightOf(occurrence: Occurrence): number
  /** Returns its item in the activity; called when a reader reads it. */
  toItem(occurrence: Occurrence, place: Place, lookups: Lookups): ActivityItem
  /** Errors are logged at most once a second, with their number. */
  readonly logLevel: 'debug' | 'error'
  readonly logMessage: string
  /** Returns ids, names and codes, never a body, a header, an address or a token. */
  logFields(occurrence: Occurrence): object
  /** Counts it in the statistics of its connection; returns whether it did. */
  count(occurrence: Occurrence, counts: Counters): boolean
}

/** An entry for each kind of a union of occurrences. */
export type KindsOf<Union extends AnyOccurrence> = {
  readonly [Name in Union['kind']]: Kind<Extract<Union, { readonly kind: Name }>>
}
