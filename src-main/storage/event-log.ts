import type { Retention } from '#shared/model/connection.ts'
import type { EventQuery } from '#shared/model/inbound-event.ts'
import type { DeduplicationKey } from './deduplication-key.ts'
import type { NewRuns, Started } from './runs.ts'
import type { Searched } from './searched.ts'

/** An accepted event in the log, without anything that a reader derives from the body. */
export type LoggedEvent = {
  /** `evt_` + 11 base-36 digits; grows with the order of arrival, so it is also the key for paging. */
  readonly eventId: string
  readonly connectionId: string
  readonly eventName: string
  /** The original text of the whole body. */
  readonly bodyText: string
  /** How to read the body (eventTextOf); missing for `{event, data}`. Has no line break. */
  readonly reading?: string
  /**
   * `bodyText` in UTF-8, if storing these bytes takes less time than storing the text. `append` takes their whole
   * ArrayBuffer over, so nothing else may use it.
   */
  readonly bodyBytes?: Uint8Array<ArrayBuffer> | undefined
  /** `Name: value` lines as received, joined by "\n", without the signature. */
  readonly headerLines: string
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly repeat: boolean
  /** A secret from before a rotation signed it; absent for most events. */
  readonly oldSecret?: true
  readonly replayOf: string | null
  /** The run that has the key of a run that this event would have started. The store sets it; absent for most events. */
  readonly duplicateOf?: string
}

/** The query of the contract. The text is searched with JSON escapes such as \u00e9 decoded. */
export type EventLogQuery = EventQuery

/** An event and the runs that it starts. */
export type NewEvent = { readonly event: LoggedEvent; readonly runs: NewRuns }

export type EventFilters = Omit<EventQuery, 'before' | 'limit'> & {
  /** True for replays alone, false for none of them. */
  readonly replays?: boolean | undefined
}

/** An event as lists over all kinds of occurrences show it. */
export type EventSummary = Omit<LoggedEvent, 'bodyText' | 'headerLines'> & {
  /** Size of the whole body in UTF-8. */
  readonly bytes: number
  /** See `subjectOf`. */
  readonly subject: string | null
  /** At most 120 characters of the body around the text that was searched; null without one. */
  readonly excerpt: string | null
}

export type EventSummaryQuery = EventFilters & {
  /** Null for all. */
  readonly connectionIds: readonly string[] | null
  /** Only events whose ids have numbers between these two, exclusive. */
  readonly above: number
  readonly below: number
  /** 1 to 200. */
  readonly limit: number
}

/** The events of these connections, or of all for null, with numbers between two, exclusive. */
export type EventRange = Pick<EventSummaryQuery, 'connectionIds' | 'above' | 'below'>

export type EventSummaryPage = {
  /** Newest first. */
  readonly events: EventSummary[]
  /** All events with a larger number are in this page or do not match: `below` of the next page is one more. */
  readonly checkedAbove: number
  /** The number of unreadable events between these. */
  readonly damaged: number
  /** Null for a full page, and for the last one. */
  readonly searched: Searched | null
}

export type EventLogPage = {
  /** Newest first. */
  readonly events: LoggedEvent[]
  /** `before` of the next page; null if this is the last. A page checks only so many events, so it may be empty. */
  readonly nextBefore: string | null
  /** The number of unreadable events between these; absent for none. */
  readonly damaged?: number
  /** Absent for a full page, and for the last one. */
  readonly searched?: Searched
}

/**
 * The log of accepted events. Every implementation must pass test/storage/event-log-contract.ts and search-contract.ts.
 */
export type EventLog = {
  /**
   * Resolves when the event is durable: it survives kill -9 and loss of power from then on. Events that arrive together
   * share one transaction.
   *
   * @param runs that it starts: stored in the same transaction, so neither exists without the other.
   * @param key a key of the event: if it is kept already, neither the event nor its runs are stored.
   * @returns null for an event without runs and key.
   * @throws ServiceError `unavailable` if it cannot be made durable; then it is not stored.
   */
  append(event: LoggedEvent, runs?: NewRuns, key?: DeduplicationKey): Promise<Started | null>
  /**
   * Makes the events of one request durable with their runs, in one transaction: all or none.
   *
   * @param events at least one.
   * @param persists whether the events are stored; else only their runs are.
   * @param key a key of all of them: if it is kept already, nothing is stored.
   * @returns what became of the runs of each.
   * @throws ServiceError `unavailable` if they cannot be made durable; then nothing is stored.
   */
  appendAll(
    events: readonly NewEvent[],
    persists: boolean,
    key?: DeduplicationKey,
  ): Promise<readonly Started[]>
  list(connectionId: string, query: EventLogQuery): Promise<EventLogPage>
  /** Returns summaries of events over connections. A page checks only so many events, so it may be empty before the end. */
  summaries(query: EventSummaryQuery): Promise<EventSummaryPage>
  /** @throws ServiceError `damaged_event` if the event exists but cannot be read. */
  get(connectionId: string, eventId: string): Promise<LoggedEvent | null>
  /** Returns whether the event existed. */
  remove(connectionId: string, eventId: string): Promise<boolean>
  /** Hides all events of the connection at once and durably, and frees their space in small steps. Returns how many. */
  clear(connectionId: string): Promise<number>
  /** Returns how many visible events there are in a range. */
  countBetween(range: EventRange): Promise<number>
  /** Returns how many visible events there are in each part of a range: parts of `width` numbers from its start. */
  countParts(range: EventRange, width: number): Promise<number[]>
  /** Prunes the connection's events to these bounds from now on, in small steps that do not delay an append. */
  setRetention(connectionId: string, retention: Retention): void
  /**
   * Tries a small write. Returns whether it succeeded, and whether there is room for an event with a body of so many
   * bytes. Never throws.
   */
  isWritable(bytes?: number): Promise<boolean>
  /** Makes everything appended durable, then releases the files. */
  close(): Promise<void>
}
