import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { timeOfSequence } from '#main/lib/sequence.ts'
import type {
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceQuery,
  OccurrenceSearch,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { PlausibleTime } from '../plausible-time.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'
import { integer } from './stored-text.ts'

/** Milliseconds between two deletions of old occurrences. */
const ageCheckEvery = 60 * 60 * 1000

const summaryColumns = 'number, kind, connection, subject, at, finding, summary'

const statements = {
  put: `INSERT OR REPLACE INTO occurrences (${summaryColumns}, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  find: 'UPDATE occurrences SET finding = ? WHERE number = ?',
  list: `
    SELECT * FROM occurrences WHERE kind = ?1 AND connection = ?2 AND (?3 IS NULL OR subject = ?3)
    ORDER BY number DESC LIMIT ?4`,
  // `->` keeps the digits of numbers, which json_extract does not.
  search: `
    SELECT ${summaryColumns}, coalesce(details -> '$.arguments', '{}') AS details FROM occurrences
    WHERE number < ?1 AND kind IN (SELECT value FROM json_each(?2))
      AND connection IN (SELECT value FROM json_each(?3))
      AND coalesce(summary ->> '$.source' IN (SELECT value FROM json_each(?4)), TRUE)
    ORDER BY number DESC LIMIT ?5`,
  // SQLite takes the other columns from the row that has the maximum.
  newestOfEach: `SELECT ${summaryColumns.replace('number', 'max(number) AS number')} FROM occurrences
    WHERE kind = ? AND connection = ? GROUP BY subject`,
  get: 'SELECT * FROM occurrences WHERE number = ? AND kind = ?',
  latest: `SELECT ${summaryColumns} FROM occurrences ORDER BY number DESC LIMIT ?`,
  prune: `
    DELETE FROM occurrences WHERE kind = ?1 AND connection = ?2 AND number <= (
      SELECT number FROM occurrences WHERE kind = ?1 AND connection = ?2
      ORDER BY number DESC LIMIT 1 OFFSET ?3)`,
  pruneOld: 'DELETE FROM occurrences WHERE kind = ? AND at < ?',
  connections: 'SELECT DISTINCT connection FROM occurrences',
  forget: 'DELETE FROM occurrences WHERE connection = ?',
  newest: 'SELECT coalesce(max(number), 0) AS number FROM occurrences',
}

/** The occurrences in SQLite. Each method is one transaction, or throws SQLite's error and changes nothing. */
export class OccurrenceTable {
  readonly #bounds
  readonly #time
  readonly #transaction: Transaction
  readonly #statements
  #agesCheckedAt = Number.NEGATIVE_INFINITY

  constructor(database: DatabaseSync, bounds: Readonly<Record<string, OccurrenceBounds>>) {
    this.#bounds = bounds
    this.#transaction = transactionsOn(database)
    this.#statements = prepareAll(database, statements)
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

  list({ kind, connectionId, subject, limit }: OccurrenceQuery): StoredOccurrence[] {
    return this.#statements.list.all(kind, connectionId ?? '', subject ?? null, limit).map(occurrenceOf)
  }

  search({ kinds, connectionIds, sources, before, limit }: OccurrenceSearch): StoredOccurrence[] {
    const connections = JSON.stringify(['', ...connectionIds])
    const last = before ?? Number.MAX_SAFE_INTEGER
    return this.#statements.search
      .all(last, JSON.stringify(kinds), connections, JSON.stringify(sources), limit)
      .map(occurrenceOf)
  }

  newestOfEach(kind: string, connectionId: string): OccurrenceSummary[] {
    return this.#statements.newestOfEach.all(kind, connectionId).map(summaryOf)
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
