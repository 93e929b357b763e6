import type { Searched } from './searched.ts'

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

/** Limits of a kind, beyond which the oldest occurrences are deleted, and what a search reads of it. */
export type OccurrenceBounds = {
  /** The number for each connection, and for the service. */
  readonly most: number
  readonly maxAgeMs: number
  /**
   * The fields of summary, details and finding that a search reads, such as `request.url`. Times, durations and sizes are
   * not among them: their digits would match numbers that a user looks for.
   */
  readonly searched: readonly string[]
}

/** The occurrences that a list shows. */
export type OccurrenceFilter = {
  readonly kinds: readonly string[]
  /** Null for all. A null in the list stands for those of the service as a whole. */
  readonly connectionIds: readonly (string | null)[] | null
  /** Absent for all subjects. */
  readonly subjects?: readonly string[] | undefined
  /** A record is found if its summary has one of these as `source`, or no `source`. */
  readonly sources?: readonly string[] | undefined
  /** True for records with a cause alone, false for those without one. */
  readonly failed?: boolean | undefined
  /** See `causeOf`. */
  readonly cause?: string | undefined
  /** Only records with one of these causes, or only those with none of them. */
  readonly causes?: { readonly areWanted: boolean; readonly among: ReadonlySet<string> } | undefined
  /** Case-insensitive; anywhere in the fields that are `searched`. */
  readonly text?: string | undefined
  /** Only numbers between these two, exclusive. */
  readonly above?: number | undefined
  readonly below?: number | undefined
}

export type OccurrenceQuery = OccurrenceFilter & {
  readonly limit: number
  /** Which details the records have: all (by default), only the field `arguments`, or `{}`. */
  readonly details?: 'all' | 'arguments' | 'none'
}

export type OccurrencePage = {
  /** Newest first. */
  readonly occurrences: StoredOccurrence[]
  /**
   * All records with a larger number are in this page or do not match: `below` of the next page is one more. A page checks
   * only so many records, so it may be empty before the end. -1 on the last page.
   */
  readonly checkedAbove: number
  /** Null for a full page, and for the last one. */
  readonly searched: Searched | null
}

/** Records of a kind and a connection with the same cause. */
export type CauseCount = {
  readonly kind: string
  readonly connectionId: string | null
  readonly cause: string | null
  readonly count: number
  /** The smallest and the largest of their numbers. */
  readonly first: number
  readonly last: number
}

export type OccurrenceCounts = {
  readonly counts: readonly CauseCount[]
  /** False if there are older ones that were not counted. */
  readonly isComplete: boolean
}

/** Equal parts of a range of numbers: the first begins at `from`. */
export type Buckets = { readonly from: number; readonly width: number }

/** The records of a kind in a bucket, with a cause or without one. */
export type BucketCount = {
  readonly kind: string
  readonly failed: boolean
  readonly bucket: number
  readonly count: number
}

export type BucketCounts = Pick<OccurrenceCounts, 'isComplete'> & { readonly counts: readonly BucketCount[] }

/** @param subjects absent for all. */
export type NewestQuery = {
  readonly kind: string
  readonly connectionId: string
  readonly subjects?: readonly string[] | undefined
}

/** The stored history. The service runs without it: when it fails, reads find nothing and writes reject. */
export type OccurrenceStorage = {
  /** Resolves when the batch survives the end of the process. An existing record is replaced. */
  write(batch: OccurrenceBatch): Promise<void>
  list(query: OccurrenceQuery): Promise<OccurrencePage>
  /** Counts occurrences by kind, connection and cause, the newest first; in a large storage, only the newest. */
  count(filter: OccurrenceFilter): Promise<OccurrenceCounts>
  /** Counts occurrences in buckets, as far as `count` does. */
  countBuckets(filter: OccurrenceFilter, buckets: Buckets): Promise<BucketCounts>
  /** Returns the newest occurrence of each subject of a connection. */
  newestOfEach(query: NewestQuery): Promise<OccurrenceSummary[]>
  get(kind: string, number: number): Promise<StoredOccurrence | null>
  /** Returns the newest occurrences of all kinds and connections, oldest first. */
  latest(limit: number): Promise<OccurrenceSummary[]>
  /** Deletes the occurrences of these connections. */
  forget(connectionIds: readonly string[]): Promise<void>
  /** Deletes the occurrences of all connections but these. */
  keepOnly(connectionIds: readonly string[]): Promise<void>
  close(): Promise<void>
}
