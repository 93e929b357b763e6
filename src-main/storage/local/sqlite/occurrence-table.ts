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
import { prepareAll, transactionsOn } from './own-database.ts'
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

/**
 * Creates the access to the occurrences in SQLite. Each method is one transaction, or throws SQLite's error and changes
 * nothing.
 */
export function createOccurrenceTable(
  database: DatabaseSync,
  bounds: Readonly<Record<string, OccurrenceBounds>>,
) {
  const transaction = transactionsOn(database)
  const on = prepareAll(database, statements)
  /** Returns the largest number of any record; 0 for none. */
  const newestNumber = () => integer(on.newest.get()?.number)
  const newest = newestNumber()
  const time = new PlausibleTime(newest === 0 ? null : timeOfSequence(newest))
  let agesCheckedAt = Number.NEGATIVE_INFINITY

  /** Deletes what is too old, at most once an hour. */
  function pruneOld(now: number): void {
    const plausible = time.at(now)
    if (plausible === Number.NEGATIVE_INFINITY || Math.abs(plausible - agesCheckedAt) < ageCheckEvery) return
    agesCheckedAt = plausible
    transaction(() => {
      for (const [kind, { maxAgeMs }] of Object.entries(bounds)) on.pruneOld.run(kind, plausible - maxAgeMs)
    })
  }

  function forget(connectionIds: readonly string[]): void {
    transaction(() => {
      for (const connectionId of connectionIds) on.forget.run(connectionId)
    })
  }

  return {
    newestNumber,
    pruneOld,
    forget,
    write({ occurrences, findings, now }: OccurrenceBatch) {
      transaction(() => {
        const touched = new Map<string, readonly [kind: string, connection: string, most: number]>()
        for (const { number, kind, connectionId, subject, at, finding, summary, details } of occurrences) {
          const connection = connectionId ?? ''
          on.put.run(number, kind, connection, subject, at, finding, summary, details)
          const most = bounds[kind]?.most
          if (most !== undefined) touched.set(`${kind} ${connection}`, [kind, connection, most])
        }
        for (const { number, finding } of findings) on.find.run(finding, number)
        for (const group of touched.values()) on.prune.run(...group)
      })
      pruneOld(now)
    },
    list: ({ kind, connectionId, subject, limit }: OccurrenceQuery) =>
      on.list.all(kind, connectionId ?? '', subject ?? null, limit).map(occurrenceOf),
    search({ kinds, connectionIds, sources, before, limit }: OccurrenceSearch) {
      const connections = JSON.stringify(['', ...connectionIds])
      const last = before ?? Number.MAX_SAFE_INTEGER
      return on.search
        .all(last, JSON.stringify(kinds), connections, JSON.stringify(sources), limit)
        .map(occurrenceOf)
    },
    newestOfEach: (kind: string, connectionId: string) =>
      on.newestOfEach.all(kind, connectionId).map(summaryOf),
    get(kind: string, number: number) {
      const row = on.get.get(number, kind)
      return row === undefined ? null : occurrenceOf(row)
    },
    latest: (limit: number) => on.latest.all(limit).map(summaryOf).reverse(),
    keepOnly(connectionIds: readonly string[]) {
      const wanted = new Set(['', ...connectionIds])
      const found = on.connections.all().map(row => text(row.connection))
      forget(found.filter(connection => !wanted.has(connection)))
    },
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
