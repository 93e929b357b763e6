/** One thing that happened, as the storage keeps it: what it means is known to `history/` alone. */
export type StoredOccurrence = {
  /** The number in its id: unique over all kinds, and growing with time. */
  readonly number: number
  readonly kind: string
  /** Null for what belongs to the service as a whole. */
  readonly connectionId: string | null
  /** What it is about within the connection, such as an action's id; empty for nothing. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The number of its item in the activity. */
  readonly place: number
  /** JSON: what lists show. */
  readonly summary: string
  /** JSON: the rest. */
  readonly details: string
  /** JSON: what was found out later, such as a diagnosis. */
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

/** Older or further occurrences of a kind are deleted. */
export type OccurrenceBounds = {
  /** For each connection, and for what belongs to none. */
  readonly most: number
  readonly maxAgeMs: number
}

/**
 * Where the history is kept. It holds nothing that the service cannot go on without: when it fails, questions
 * answer with nothing and writes reject.
 */
export type OccurrenceStorage = {
  /** The largest number ever stored; 0 for none. */
  readonly newestNumber: number
  /** Resolves when the batch survives the process. A record that is there is replaced. */
  write(batch: OccurrenceBatch): Promise<void>
  /** Newest first; of one subject, or of all. */
  list(query: {
    readonly kind: string
    readonly connectionId: string | null
    readonly subject?: string
    readonly limit: number
  }): Promise<StoredOccurrence[]>
  /** The newest of each subject of a connection. */
  newestOfEach(query: { readonly kind: string; readonly connectionId: string }): Promise<OccurrenceSummary[]>
  get(kind: string, number: number): Promise<StoredOccurrence | null>
  /** The newest of all kinds and connections, oldest first, in the order of the activity. */
  latest(limit: number): Promise<OccurrenceSummary[]>
  /** Deletes what belongs to these connections. */
  forget(connectionIds: readonly string[]): Promise<void>
  /** Deletes what belongs to any other connection than these. */
  keepOnly(connectionIds: readonly string[]): Promise<void>
  /** A consistent copy while writes go on, written to `path`; none where there is nothing to copy. */
  backup(path: string): Promise<void>
  close(): Promise<void>
}
