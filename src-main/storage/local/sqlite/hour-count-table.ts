import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import {
  connectionStart,
  type HourRange,
  type HourRow,
  mergeRows,
  mostHourRows,
  sumPairs,
} from '#main/storage/hour-counts.ts'
import { fromStored, integer } from '../../rows/stored-text.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'

/** The rows of nodes, with what was merged before of the same hours. */
const unmerged = `SELECT h.connection, h.hour, h.node, h.doc FROM (
    SELECT DISTINCT connection, hour FROM hour_count WHERE node <> '' AND hour <= ?1 LIMIT ?2) AS u
  JOIN hour_count AS h ON h.connection = u.connection AND h.hour = u.hour`
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

  readPairs(connectionIds: readonly string[], { from, until }: HourRange, except: string | null) {
    const { docs } = this.#statements
    return new Map(
      connectionIds.flatMap(id => {
        const rows = docs.all(id, from, until, except)
        return rows.length === 0 ? [] : [[id, sumPairs(rows.map(({ doc }) => fromStored(doc)))] as const]
      }),
    )
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
      for (const connectionId of connectionIds) this.#statements.forget.run(connectionId)
    })
  }

  keepOnly(connectionIds: readonly string[]): void {
    const wanted = new Set(connectionIds)
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
