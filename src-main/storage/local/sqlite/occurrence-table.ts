import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { firstOf } from '#main/lib/first-of.ts'
import { timeOfSequence } from '#main/lib/sequence.ts'
import { causeOf, occurrenceMatcher } from '#main/storage/occurrence-filter.ts'
import type {
  BucketCounts,
  Buckets,
  CauseCount,
  NewestQuery,
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceCounts,
  OccurrenceFilter,
  OccurrencePage,
  OccurrenceQuery,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { createBucketTally, createCauseTally } from '#main/storage/occurrence-tally.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { type SearchBounds, SearchBudget, searchBounds } from '../../rows/search-budget.ts'
import { integer } from '../../rows/stored-text.ts'
import { PlausibleTime } from '../plausible-time.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'
import { causeInSql } from './schemas.ts'

/** Milliseconds between two deletions of old occurrences. */
const ageCheckEvery = 60 * 60 * 1000

const summaryColumns = 'number, kind, connection, subject, at, finding, summary'

/** Returns the column of the details; SQLite reads no more of them than is wanted. */
function detailsColumn(wanted: string): string {
  // `->` keeps the digits of numbers, which json_extract does not.
  return `CASE ${wanted} WHEN 'all' THEN details WHEN 'arguments' THEN coalesce(details -> '$.arguments', '{}')
    ELSE '{}' END AS details`
}

/** Rows that are looked up at once. */
const chunkRows = 512
/** This thread reads and writes one after another, so that a search ends sooner here than in the log. */
const historyBounds: SearchBounds = { ...searchBounds, text: 16 * 1024 * 1024, ms: 40 }
/** Rows in which a cause is searched before its index is used. */
const firstRows = 1000
/** Milliseconds of a count by the index. */
const countMs = 120
/** Up to this many pairs of a kind and a connection are read by their index; more by number, with all others. */
const mostPairs = 64
/** The same if a cause is wanted, which an index has. */
const mostPairsOfCause = 5000

const statements = {
  put: `INSERT OR REPLACE INTO occurrences (${summaryColumns}, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  find: 'UPDATE occurrences SET finding = ? WHERE number = ?',
  ofOne: `
    SELECT ${summaryColumns}, ${detailsColumn('?4')} FROM occurrences INDEXED BY occurrences_by_connection
    WHERE kind = ?1 AND connection = ?2 AND number = ?3`,
  numbers: `SELECT number FROM occurrences
    WHERE kind = ? AND connection = ? AND number > ? AND number < ? ORDER BY number DESC LIMIT ?`,
  numbersOfCause: `SELECT number FROM occurrences
    WHERE kind = ? AND connection = ? AND ${causeInSql} = ? AND number > ? AND number < ? ORDER BY number DESC LIMIT ?`,
  numbersOfFailed: `SELECT number FROM occurrences INDEXED BY occurrences_by_cause
    WHERE kind = ? AND connection = ? AND ${causeInSql} IS NOT NULL AND number > ? AND number < ?
    ORDER BY number DESC LIMIT ?`,
  nextCause: `SELECT ${causeInSql} AS cause FROM occurrences INDEXED BY occurrences_by_cause
    WHERE kind = ? AND connection = ? AND ${causeInSql} > ? ORDER BY 1 LIMIT 1`,
  ofCause: `SELECT count(*) AS records, min(number) AS first, max(number) AS last
    FROM occurrences INDEXED BY occurrences_by_cause
    WHERE kind = ? AND connection = ? AND ${causeInSql} IS ? AND number > ? AND number < ?`,
  allOfCause: `SELECT number FROM occurrences INDEXED BY occurrences_by_cause
    WHERE kind = ? AND connection = ? AND ${causeInSql} IS ? AND number > ? AND number < ?`,
  ofAll: `
    SELECT ${summaryColumns}, ${detailsColumn('?3')} FROM occurrences
    WHERE number > ?1 AND number < ?2 ORDER BY number DESC`,
  // SQLite takes the other columns from the row that has the maximum.
  newestOfEach: `SELECT ${summaryColumns.replace('number', 'max(number) AS number')} FROM occurrences
    WHERE kind = ?1 AND connection = ?2 AND (?3 IS NULL OR subject IN (SELECT value FROM json_each(?3)))
    GROUP BY subject`,
  get: 'SELECT * FROM occurrences WHERE number = ? AND kind = ?',
  latest: `SELECT ${summaryColumns} FROM occurrences ORDER BY number DESC LIMIT ?`,
  prune: `
    DELETE FROM occurrences WHERE kind = ?1 AND connection = ?2 AND number <= (
      SELECT number FROM occurrences WHERE kind = ?1 AND connection = ?2
      ORDER BY number DESC LIMIT 1 OFFSET ?3)`,
  pruneOld: 'DELETE FROM occurrences WHERE kind = ? AND at < ?',
  nextConnection:
    'SELECT connection FROM occurrences WHERE kind = ? AND connection > ? ORDER BY connection LIMIT 1',
  connections: 'SELECT DISTINCT connection FROM occurrences',
  forget: 'DELETE FROM occurrences WHERE connection = ?',
  newest: 'SELECT coalesce(max(number), 0) AS number FROM occurrences',
}

/** A kind and a connection. */
type Pair = readonly [kind: string, connection: string]
type Range = Pick<OccurrenceFilter, 'cause' | 'failed'> & { readonly above: number; readonly below: number }

/** Returns whether the index by cause has all that a count needs. */
const isIndexed = ({ text = '', subjects, sources, causes }: OccurrenceFilter) =>
  text === '' && subjects === undefined && sources === undefined && causes === undefined

/** The occurrences in SQLite. Each method is one transaction, or throws SQLite's error and changes nothing. */
export class OccurrenceTable {
  readonly #bounds
  readonly #searchBounds
  readonly #time
  readonly #transaction: Transaction
  readonly #statements
  #agesCheckedAt = Number.NEGATIVE_INFINITY

  constructor(
    database: DatabaseSync,
    bounds: Readonly<Record<string, OccurrenceBounds>>,
    given: Partial<SearchBounds> = {},
  ) {
    this.#bounds = bounds
    this.#searchBounds = { ...historyBounds, ...given }
    this.#transaction = transactionsOn(database)
    this.#statements = prepareAll(database, statements)
    this.#statements.allOfCause.setReturnArrays(true)
    const newest = this.newestNumber()
    this.#time = new PlausibleTime(newest === 0 ? null : timeOfSequence(newest))
  }

  /** Returns the largest number of any record; 0 for none. */
  newestNumber(): number {
    return integer(this.#statements.newest.get()?.number)
  }

  write({ occurrences, findings, now }: OccurrenceBatch): void {
    const { put, find, prune } = this.#statements
    this.#transaction(() => {
      const touched = new Map<string, readonly [kind: string, connection: string, most: number]>()
      for (const { number, kind, connectionId, subject, at, finding, summary, details } of occurrences) {
        const connection = connectionId ?? ''
        put.run(number, kind, connection, subject, at, finding, summary, details)
        const most = this.#bounds[kind]?.most
        if (most !== undefined) touched.set(`${kind} ${connection}`, [kind, connection, most])
      }
      for (const { number, finding } of findings) find.run(finding, number)
      for (const group of touched.values()) prune.run(...group)
    })
    this.pruneOld(now)
  }

  /** Deletes what is too old, at most once an hour. */
  pruneOld(now: number): void {
    const time = this.#time.at(now)
    if (time === Number.NEGATIVE_INFINITY || Math.abs(time - this.#agesCheckedAt) < ageCheckEvery) return
    this.#agesCheckedAt = time
    this.#transaction(() => {
      for (const [kind, { maxAgeMs }] of Object.entries(this.#bounds))
        this.#statements.pruneOld.run(kind, time - maxAgeMs)
    })
  }

  list(query: OccurrenceQuery): OccurrencePage {
    const { above = -1, limit, details = 'all', text = '' } = query
    // A text is searched in all details.
    const read = text === '' ? details : 'all'
    const matches = occurrenceMatcher(query, this.#bounds)
    const found: StoredOccurrence[] = []
    const budget = new SearchBudget(this.#searchBounds)
    for (const row of this.#newestFirst(query, read, text === '' ? limit + 1 : chunkRows)) {
      if (matches(row)) {
        if (found.length === limit)
          return { occurrences: found, checkedAbove: (found.at(-1)?.number ?? 0) - 1, searched: null }
        found.push(reduced(row, read, details))
      }
      budget.add(row.details.length)
      if (budget.isOver) {
        const searched = found.length < limit ? { count: budget.count, isIndexing: false } : null
        return { occurrences: found, checkedAbove: row.number - 1, searched }
      }
    }
    return { occurrences: found, checkedAbove: above, searched: null }
  }

  count(filter: OccurrenceFilter): OccurrenceCounts {
    if (isIndexed(filter)) return this.#countCauses(filter)
    const tally = createCauseTally()
    const isComplete = this.#visit(filter, row => tally.add(row))
    return { counts: tally.counts(), isComplete }
  }

  countBuckets(filter: OccurrenceFilter, buckets: Buckets): BucketCounts {
    const tally = createBucketTally(buckets)
    const isComplete = isIndexed(filter)
      ? this.#countOutcomes(filter, tally)
      : this.#visit(filter, row => tally.of(row.kind, causeOf(row) !== null)(row.number))
    return { counts: tally.counts(), isComplete }
  }

  /** Counts by the index alone. */
  #countCauses(filter: OccurrenceFilter): OccurrenceCounts {
    const { above = -1, below = Number.MAX_SAFE_INTEGER } = filter
    const counts: CauseCount[] = []
    const isComplete = this.#visitCauses(filter, (kind, connection, cause) => {
      const { records, first, last } =
        this.#statements.ofCause.get(kind, connection, cause, above, below) ?? {}
      const count = integer(records)
      if (count === 0) return
      const connectionId = connection || null
      counts.push({ kind, connectionId, cause, count, first: integer(first), last: integer(last) })
    })
    return { counts, isComplete }
  }

  /** The same, in buckets. */
  #countOutcomes(filter: OccurrenceFilter, tally: ReturnType<typeof createBucketTally>): boolean {
    const { above = -1, below = Number.MAX_SAFE_INTEGER } = filter
    return this.#visitCauses(filter, (kind, connection, cause) => {
      const add = tally.of(kind, cause !== null)
      // Each row is an array: there may be a hundred thousand.
      for (const row of this.#statements.allOfCause.all(kind, connection, cause, above, below))
        add(integer(row[0]))
    })
  }

  /** Visits each cause that records of a filter may have, null among them. Returns whether all were visited in time. */
  #visitCauses(
    filter: OccurrenceFilter,
    visit: (kind: string, connection: string, cause: string | null) => void,
  ): boolean {
    const { cause, failed } = filter
    const budget = new SearchBudget({ ...this.#searchBounds, ms: countMs })
    for (const pair of this.#pairs(filter)) {
      budget.add(0)
      if (budget.isOver) return false
      if (cause !== undefined) {
        if (failed !== false) visit(...pair, cause)
        continue
      }
      if (failed !== true) visit(...pair, null)
      if (failed !== false) for (const one of this.#causes(pair)) visit(...pair, one)
    }
    return true
  }

  /** Yields the causes of records of a pair. */
  *#causes(pair: Pair): Generator<string, undefined> {
    // Every text is greater than a number.
    for (let after: string | number = 0; ; ) {
      const row = this.#statements.nextCause.get(...pair, after)
      if (row === undefined) return
      after = text(row.cause)
      yield after
    }
  }

  /** Yields the kinds and connections that a filter selects. */
  *#pairs({ kinds, connectionIds }: OccurrenceFilter): Generator<Pair, undefined> {
    for (const kind of kinds) {
      if (connectionIds !== null) {
        for (const id of connectionIds) yield [kind, id ?? '']
        continue
      }
      let next: SQLOutputValue | undefined = ''
      while (typeof next === 'string') {
        yield [kind, next]
        next = this.#statements.nextConnection.get(kind, next)?.connection
      }
    }
  }

  /** Visits the wanted records, newest first. Returns whether all were visited. */
  #visit(filter: OccurrenceFilter, visit: (record: StoredOccurrence) => void): boolean {
    const matches = occurrenceMatcher(filter, this.#bounds)
    const budget = new SearchBudget(this.#searchBounds)
    for (const row of this.#newestFirst(filter, filter.text ? 'all' : 'none', chunkRows)) {
      budget.add(row.details.length)
      if (budget.isOver) return false
      if (matches(row)) visit(row)
    }
    return true
  }

  /**
   * Yields rows of these kinds and connections, and possibly others, one by one: the details of many would not fit into
   * the memory. @param chunk how many are looked up at once.
   */
  *#newestFirst(filter: OccurrenceFilter, details: string, chunk: number): Generator<StoredOccurrence> {
    const { connectionIds, cause, failed, above = -1 } = filter
    let { below = Number.MAX_SAFE_INTEGER } = filter
    const { ofAll, ofOne } = this.#statements
    const isOfCauses = cause !== undefined || failed === true
    if (isOfCauses && connectionIds === null) {
      // A cause that many have is found soon, and a rare one by its index.
      let rows = 0
      for (const row of ofAll.iterate(above, below, details)) {
        if (rows++ === firstRows) break
        const record = occurrenceOf(row)
        below = record.number
        yield record
      }
      if (rows <= firstRows) return
    }
    const most = isOfCauses ? mostPairsOfCause : mostPairs
    const isOfAll = connectionIds === null && !isOfCauses
    const pairs = isOfAll ? [] : firstOf(this.#pairs(filter), most + 1)
    if (isOfAll || pairs.length > most) {
      for (const row of ofAll.iterate(above, below, details)) yield occurrenceOf(row)
      return
    }
    for (;;) {
      const found = this.#find(pairs, { cause, failed, above, below }, chunk)
      for (const { pair, number } of found) {
        const row = ofOne.get(...pair, number, details)
        if (row !== undefined) yield occurrenceOf(row)
      }
      const last = found.at(-1)
      if (last === undefined) return
      below = last.number
    }
  }

  /** Finds the newest records by the index alone. */
  #find(pairs: readonly Pair[], { cause, failed, above, below }: Range, limit: number) {
    const { numbers, numbersOfCause, numbersOfFailed } = this.#statements
    const uncaused = failed === true ? numbersOfFailed : numbers
    return pairs
      .flatMap(pair =>
        (cause === undefined
          ? uncaused.all(...pair, above, below, limit)
          : numbersOfCause.all(...pair, cause, above, below, limit)
        ).map(row => ({ pair, number: integer(row.number) })),
      )
      .sort((one, other) => other.number - one.number)
      .slice(0, limit)
  }

  newestOfEach({ kind, connectionId, subjects }: NewestQuery): OccurrenceSummary[] {
    const wanted = subjects === undefined ? null : JSON.stringify(subjects)
    return this.#statements.newestOfEach.all(kind, connectionId, wanted).map(summaryOf)
  }

  get(kind: string, number: number): StoredOccurrence | null {
    const row = this.#statements.get.get(number, kind)
    return row === undefined ? null : occurrenceOf(row)
  }

  latest(limit: number): OccurrenceSummary[] {
    return this.#statements.latest.all(limit).map(summaryOf).reverse()
  }

  forget(connectionIds: readonly string[]): void {
    this.#transaction(() => {
      for (const connectionId of connectionIds) this.#statements.forget.run(connectionId)
    })
  }

  keepOnly(connectionIds: readonly string[]): void {
    const wanted = new Set(['', ...connectionIds])
    const found = this.#statements.connections.all().map(row => text(row.connection))
    this.forget(found.filter(connection => !wanted.has(connection)))
  }
}

/** Returns a record whose details were read as `read` with those that are `wanted`. */
function reduced(record: StoredOccurrence, read: string, wanted: string): StoredOccurrence {
  if (read === wanted) return record
  const details =
    wanted === 'arguments' ? JSON.stringify(Object(parseExact(record.details)).arguments ?? {}) : '{}'
  return { ...record, details }
}

type Row = Record<string, SQLOutputValue>

function occurrenceOf(row: Row): StoredOccurrence {
  return { ...summaryOf(row), details: text(row.details) }
}

function summaryOf(row: Row): OccurrenceSummary {
  return {
    number: integer(row.number),
    kind: text(row.kind),
    connectionId: text(row.connection) || null,
    subject: text(row.subject),
    at: integer(row.at),
    summary: text(row.summary),
    finding: row.finding === null ? null : text(row.finding),
  }
}

/** @throws TypeError when a column that must hold text does not. */
function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`Expected text, found ${typeof value}.`)
  return value
}
