/** One thing that happened, as it is stored. Only `history/` knows its meaning. */
export type StoredOccurrence = {
  /** The number in its id and in the activity: unique over all kinds, and growing with time. */
  readonly number: number
  readonly kind: string
  /** Null for the service as a whole. */
  readonly connectionId: string | null
  /** The subject within the connection, such as an action's id; empty for none. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** JSON: what lists show. */
  readonly summary: string
  /** JSON: the rest. */
  readonly details: string
  /** JSON: what was found later, such as a diagnosis. */
  readonly finding: string | null
}

/** An occurrence as lists show it. */
export type OccurrenceSummary = Omit<StoredOccurrence, 'details'>

export type OccurrenceBatch = {
  readonly occurrences: readonly StoredOccurrence[]
  readonly findings: readonly { readonly number: number; readonly finding: string }[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Limits of a kind; the oldest occurrences beyond them are deleted. */
export type OccurrenceBounds = {
  /** The number for each connection, and for the service. */
  readonly most: number
  readonly maxAgeMs: number
}

export type OccurrenceQuery = {
  readonly kind: string
  readonly connectionId: string | null
  /** Absent for all subjects. */
  readonly subject?: string
  readonly limit: number
}

/** A search over connections. */
export type OccurrenceSearch = {
  readonly kinds: readonly string[]
  /** Those of the service as a whole are found too. */
  readonly connectionIds: readonly string[]
  /** A record is found if its summary has one of these as `source`, or no `source`. */
  readonly sources: readonly string[]
  /** Only records with smaller numbers; null for all. */
  readonly before: number | null
  readonly limit: number
}

/** The stored history. The service runs without it: when it fails, reads find nothing and writes reject. */
export type OccurrenceStorage = {
  /** The largest number ever stored; 0 for none. */
  readonly newestNumber: number
  /** Resolves when the batch survives the end of the process. An existing record is replaced. */
  write(batch: OccurrenceBatch): Promise<void>
  /** Returns occurrences, newest first. */
  list(query: OccurrenceQuery): Promise<StoredOccurrence[]>
  /** Returns occurrences, newest first, each with only the field `arguments` of its details. */
  search(query: OccurrenceSearch): Promise<StoredOccurrence[]>
  /** Returns the newest occurrence of each subject of a connection. */
  newestOfEach(query: { readonly kind: string; readonly connectionId: string }): Promise<OccurrenceSummary[]>
  get(kind: string, number: number): Promise<StoredOccurrence | null>
  /** Returns the newest occurrences of all kinds and connections, oldest first. */
  latest(limit: number): Promise<OccurrenceSummary[]>
  /** Deletes the occurrences of these connections. */
  forget(connectionIds: readonly string[]): Promise<void>
  /** Deletes the occurrences of all connections but these. */
  keepOnly(connectionIds: readonly string[]): Promise<void>
  /** Writes a consistent copy to `path` while writes continue; none if there is nothing to copy. */
  backup(path: string): Promise<void>
  close(): Promise<void>
}
