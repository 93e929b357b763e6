import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import {
  connectionStart,
  dayHours,
  dayRowOf,
  type HourRange,
  type HourRow,
  mergeRows,
  mostHourRows,
  type PairRange,
  rowsOfConnections,
  summedDaysOf,
} from '#main/storage/hour-count-store.ts'
import { readPairs, sumPairs } from '#main/storage/hour-counts.ts'
import { fromStored, integer } from '../../rows/stored-text.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'

/** The rows of nodes, with what was merged before of the same hours, and the rows of their days. */
const unmerged = `
  WITH u AS MATERIALIZED (SELECT DISTINCT connection, hour FROM hour_count WHERE node <> '' AND hour <= ?1 LIMIT ?2),
    k AS (SELECT * FROM u UNION SELECT connection || '${dayRowOf('')}', hour - hour % ${dayHours} FROM u)
  SELECT h.connection, h.hour, h.node, h.doc
    FROM k JOIN hour_count AS h ON h.connection = k.connection AND h.hour = k.hour`
const old = `
  WITH RECURSIVE c (connection) AS (
    SELECT min(connection) FROM hour_count
    UNION ALL SELECT (SELECT min(connection) FROM hour_count WHERE connection > c.connection) FROM c
      WHERE c.connection IS NOT NULL)
  SELECT h.rowid FROM c JOIN hour_count AS h ON h.connection = c.connection WHERE h.hour < ?1 LIMIT ?2`

const statements = {
  put: 'INSERT OR REPLACE INTO hour_count (connection, hour, node, doc) VALUES (?, ?, ?, ?)',
  read: 'SELECT * FROM hour_count WHERE connection = ? AND hour >= ? AND hour < ? ORDER BY hour',
  docs: 'SELECT doc FROM hour_count WHERE connection = ? AND hour >= ? AND hour < ? AND node IS NOT ?',
  first: "SELECT min(hour) AS hour FROM hour_count WHERE connection = ''",
  summed: `SELECT (SELECT min(hour) FROM hour_count WHERE connection = '${dayRowOf('')}') AS first,
    (SELECT min(hour) FROM hour_count WHERE node <> '') AS unmerged`,
  unmerged,
  remove: 'DELETE FROM hour_count WHERE connection = ? AND hour = ?',
  prune: `DELETE FROM hour_count WHERE rowid IN (${old})`,
  nextConnection: 'SELECT connection FROM hour_count WHERE connection > ? ORDER BY connection LIMIT 1',
  forget: 'DELETE FROM hour_count WHERE connection = ?',
}

/** The counts of hours in SQLite. Each method is one transaction, or throws SQLite's error and changes nothing. */
export class HourCountTable {
  readonly #transaction: Transaction
  readonly #statements
  /** The last hour of which rows of nodes were merged that still save. */
  #mergedTo = -1

  constructor(database: DatabaseSync) {
    this.#transaction = transactionsOn(database)
    this.#statements = prepareAll(database, statements)
  }

  save(node: string, rows: readonly HourRow[]): void {
    this.#transaction(() => {
      for (const { of, hour, doc } of rows)
        if (hour > this.#mergedTo) this.#statements.put.run(of, hour, node, doc)
    })
  }

  read(of: string, { from, until }: HourRange) {
    return this.#statements.read.all(of, from, until).map(rowOf)
  }

  readPairs(connectionIds: readonly string[], parts: readonly PairRange[], except: string | null) {
    const { docs } = this.#statements
    return new Map(
      connectionIds.flatMap(id => {
        const rows = parts.flatMap(({ from, until, byDay }) =>
          docs.all(byDay ? dayRowOf(id) : id, from, until, except),
        )
        const pairs = rows.map(({ doc }) => readPairs(fromStored(doc)))
        return rows.length === 0 ? [] : [[id, sumPairs(pairs)] as const]
      }),
    )
  }

  summedDays(): HourRange {
    const { first, unmerged } = this.#statements.summed.get() ?? {}
    return summedDaysOf(first == null ? null : integer(first), unmerged == null ? null : integer(unmerged))
  }

  first(): number | null {
    const hour = this.#statements.first.get()?.hour
    return hour == null ? null : integer(hour)
  }

  merge(upTo: number): boolean {
    return this.#transaction(() => {
      const found = this.#statements.unmerged.all(upTo, mostHourRows / 2).map(rowOf)
      const rows = mergeRows(found)
      for (const { of, hour } of rows) this.#statements.remove.run(of, hour)
      for (const { of, hour, doc } of rows) this.#statements.put.run(of, hour, '', doc)
      if (rows.length > 0) this.#mergedTo = Math.max(this.#mergedTo, upTo)
      return rows.length > 0
    })
  }

  prune(before: number): boolean {
    return this.#transaction(() => Number(this.#statements.prune.run(before, mostHourRows).changes) > 0)
  }

  forget(connectionIds: readonly string[]): void {
    this.#transaction(() => {
      for (const of of rowsOfConnections(connectionIds)) this.#statements.forget.run(of)
    })
  }

  keepOnly(connectionIds: readonly string[]): void {
    const wanted = new Set(rowsOfConnections(connectionIds))
    const gone: string[] = []
    for (let last = connectionStart; ; ) {
      const row = this.#statements.nextConnection.get(last)
      if (row === undefined) break
      last = fromStored(row.connection)
      if (!last.startsWith(connectionStart)) break
      if (!wanted.has(last)) gone.push(last)
    }
    this.forget(gone)
  }
}

function rowOf(row: Record<string, SQLOutputValue>) {
  return {
    of: fromStored(row.connection),
    hour: integer(row.hour),
    node: fromStored(row.node),
    doc: fromStored(row.doc),
  }
}
