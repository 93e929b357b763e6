import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { timeOfSequence } from '#main/lib/sequence.ts'
import type {
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { PlausibleTime } from '../plausible-time.ts'
import { integer } from './stored-text.ts'
import { type Transaction, transactionsOn } from './transaction.ts'

/** Milliseconds between two looks at the age of all that is kept. */
const ageCheckEvery = 60 * 60 * 1000

export type OccurrenceQuery = { kind: string; connection: string; subject: string | null; limit: number }

const summaryColumns = 'number, kind, connection, subject, at, place, finding, summary'

/** The occurrences in SQLite; each method is one transaction, or throws SQLite's error having changed nothing. */
export class OccurrenceTable {
  readonly #bounds
  readonly #time
  readonly #transaction: Transaction
  readonly #put
  readonly #find
  readonly #list
  readonly #listOfSubject
  readonly #newestOfEach
  readonly #get
  readonly #latest
  readonly #prune
  readonly #pruneOld
  readonly #connections
  readonly #forget
  readonly #newest
  #agesCheckedAt = Number.NEGATIVE_INFINITY

  constructor(database: DatabaseSync, bounds: Readonly<Record<string, OccurrenceBounds>>) {
    this.#bounds = bounds
    this.#transaction = transactionsOn(database)
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO occurrences (${summaryColumns}, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#find = database.prepare('UPDATE occurrences SET finding = ? WHERE number = ?')
    const inOrder = 'ORDER BY number DESC LIMIT ?'
    this.#list = database.prepare(`SELECT * FROM occurrences WHERE kind = ? AND connection = ? ${inOrder}`)
    this.#listOfSubject = database.prepare(
      `SELECT * FROM occurrences WHERE kind = ? AND connection = ? AND subject = ? ${inOrder}`,
    )
    // SQLite takes the other columns from the row that has the maximum.
    this.#newestOfEach = database.prepare(
      `SELECT ${summaryColumns.replace('number', 'max(number) AS number')} FROM occurrences
      WHERE kind = ? AND connection = ? GROUP BY subject`,
    )
    this.#get = database.prepare('SELECT * FROM occurrences WHERE number = ? AND kind = ?')
    this.#latest = database.prepare(`SELECT ${summaryColumns} FROM occurrences ORDER BY place DESC LIMIT ?`)
    this.#prune = database.prepare(`
      DELETE FROM occurrences WHERE kind = ?1 AND connection = ?2 AND number <= (
        SELECT number FROM occurrences WHERE kind = ?1 AND connection = ?2
        ORDER BY number DESC LIMIT 1 OFFSET ?3)`)
    this.#pruneOld = database.prepare('DELETE FROM occurrences WHERE kind = ? AND at < ?')
    this.#connections = database.prepare('SELECT DISTINCT connection FROM occurrences')
    this.#forget = database.prepare('DELETE FROM occurrences WHERE connection = ?')
    this.#newest = database.prepare(
      'SELECT max(coalesce(max(number), 0), coalesce(max(place), 0)) AS number FROM occurrences',
    )
    const newest = this.newestNumber()
    this.#time = new PlausibleTime(newest === 0 ? null : timeOfSequence(newest))
  }

  /** The largest number of any record or place; 0 for none. */
  newestNumber(): number {
    return integer(this.#newest.get()?.number)
  }

  write({ occurrences, findings, now }: OccurrenceBatch): void {
    this.#transaction(() => {
      const touched = new Map<string, { kind: string; connection: string; most: number }>()
      for (const {
        number,
        kind,
        connectionId,
        subject,
        at,
        place,
        finding,
        summary,
        details,
      } of occurrences) {
        const connection = connectionId ?? ''
        this.#put.run(number, kind, connection, subject, at, place, finding, summary, details)
        const most = this.#bounds[kind]?.most
        if (most !== undefined) touched.set(`${kind} ${connection}`, { kind, connection, most })
      }
      for (const { number, finding } of findings) this.#find.run(finding, number)
      for (const { kind, connection, most } of touched.values()) this.#prune.run(kind, connection, most)
    })
    this.pruneOld(now)
  }

  /** Deletes what is too old, an hour after it did so last at the earliest. */
  pruneOld(now: number): void {
    const time = this.#time.at(now)
    if (time === Number.NEGATIVE_INFINITY || Math.abs(time - this.#agesCheckedAt) < ageCheckEvery) return
    this.#agesCheckedAt = time
    this.#transaction(() => {
      for (const [kind, { maxAgeMs }] of Object.entries(this.#bounds))
        this.#pruneOld.run(kind, time - maxAgeMs)
    })
  }

  list({ kind, connection, subject, limit }: OccurrenceQuery): StoredOccurrence[] {
    const rows =
      subject === null
        ? this.#list.all(kind, connection, limit)
        : this.#listOfSubject.all(kind, connection, subject, limit)
    return rows.map(occurrenceOf)
  }

  newestOfEach(kind: string, connection: string): OccurrenceSummary[] {
    return this.#newestOfEach.all(kind, connection).map(summaryOf)
  }

  get(kind: string, number: number): StoredOccurrence | null {
    const row = this.#get.get(number, kind)
    return row === undefined ? null : occurrenceOf(row)
  }

  latest(limit: number): OccurrenceSummary[] {
    return this.#latest.all(limit).map(summaryOf).reverse()
  }

  forget(connectionIds: readonly string[]): void {
    this.#transaction(() => {
      for (const connectionId of connectionIds) this.#forget.run(connectionId)
    })
  }

  keepOnly(connectionIds: readonly string[]): void {
    const wanted = new Set(['', ...connectionIds])
    const others = this.#connections.all().map(row => text(row.connection))
    this.forget(others.filter(connection => !wanted.has(connection)))
  }
}

type Row = Record<string, SQLOutputValue>

function occurrenceOf(row: Row): StoredOccurrence {
  return { ...summaryOf(row), details: text(row.details) }
}

function summaryOf(row: Row): OccurrenceSummary {
  const connection = text(row.connection)
  return {
    number: integer(row.number),
    kind: text(row.kind),
    connectionId: connection === '' ? null : connection,
    subject: text(row.subject),
    at: integer(row.at),
    place: integer(row.place),
    summary: text(row.summary),
    finding: row.finding === null ? null : text(row.finding),
  }
}

/** @throws TypeError when a column that must hold text does not. */
function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`Expected text, found ${typeof value}.`)
  return value
}
