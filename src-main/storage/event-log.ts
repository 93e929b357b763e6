import type { Retention } from '#shared/model/connection.ts'
import type { NewRun } from './runs.ts'

/** An accepted event as the log keeps it. Everything that a reader derives from the body is left out. */
export type LoggedEvent = {
  /** `evt_` + 11 base-36 digits; grows with the order of arrival, so it is also the key for paging. */
  readonly eventId: string
  readonly connectionId: string
  readonly eventName: string
  /** The original text of the whole body. */
  readonly bodyText: string
  /** `Name: value` lines as received, joined by "\n", less the signature. */
  readonly headerLines: string
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly repeat: boolean
  /** Signed with a secret from before a rotation; absent for most. */
  readonly oldSecret?: true
  readonly replayOf: string | null
}

export type EventLogQuery = {
  /** Exactly this name. */
  readonly eventName?: string | undefined
  /** Case-insensitive, anywhere in the body, JSON escapes such as \u00e9 read as what they stand for. */
  readonly text?: string | undefined
  /** Only events older than this one; it need not exist any more. */
  readonly before?: string | undefined
  /** 1 to 200. */
  readonly limit: number
}

export type EventLogPage = {
  /** Newest first. */
  readonly events: LoggedEvent[]
  /** `before` of the next page; null when there is none. */
  readonly nextBefore: string | null
  /** How many events between these could not be read; absent for none. */
  readonly damaged?: number
}

/**
 * Where accepted events are kept. SQLite is the first implementation, PostgreSQL is to be the second:
 * test/storage/event-log-contract.ts is what any implementation must pass.
 */
export type EventLog = {
  /**
   * Resolves when the event is durable: it survives kill -9 and loss of power from then on. Events that
   * arrive together share one transaction.
   * @param runs that it starts: stored in the same transaction, so that there is never one without the other.
   * @throws ServiceError `unavailable` when it cannot be made durable; then it is not stored at all.
   */
  append(event: LoggedEvent, runs?: readonly NewRun[]): Promise<void>
  list(connectionId: string, query: EventLogQuery): Promise<EventLogPage>
  /** @throws ServiceError `damaged_event` when the event is there but cannot be read. */
  get(connectionId: string, eventId: string): Promise<LoggedEvent | null>
  /** @returns whether it was there. */
  remove(connectionId: string, eventId: string): Promise<boolean>
  /** Hides all events of the connection at once and durably; their space is freed in small steps. @returns how many. */
  clear(connectionId: string): Promise<number>
  /** How many events of the connection can be read. */
  count(connectionId: string): Promise<number>
  /** The newest event id ever stored, so that a restart never gives an older one; null for a new log. */
  newestEventId(): Promise<string | null>
  /** Prunes the connection's events to these bounds from now on, in small steps that never hold up an append. */
  setRetention(connectionId: string, retention: Retention): void
  /** Whether a write would succeed now; tries one. Never throws. */
  isWritable(): Promise<boolean>
  /** A consistent copy of the log while it goes on, written to `path`. */
  backup(path: string): Promise<void>
  /** Makes everything appended durable, then releases the files. */
  close(): Promise<void>
}
