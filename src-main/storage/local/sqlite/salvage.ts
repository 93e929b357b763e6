import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { integer, StoredValueError } from '../../rows/stored-text.ts'
import { isDamage, isReadFailure, isRefusedValue } from './own-database.ts'

/** A table to copy: where its rows are read, and how they are written. */
type Copy = {
  readonly name: string
  /** The table that holds the rows, in both databases; that of a full-text index has another name. */
  readonly source: string
  readonly columns: readonly string[]
  /** Whether the row's key is a column of its own. */
  readonly hasKeyColumn: boolean
  readonly isFullText: boolean
}

/**
 * Copies every readable row of a damaged database to an empty one that this program created. Rows behind an unreadable
 * page are found by their keys from the other side of it.
 *
 * @param onLoss receives the name of each table that could not be read completely.
 * @returns the number of copied rows.
 */
export function copyReadable(
  damaged: DatabaseSync,
  target: DatabaseSync,
  onLoss: (table: string) => void,
): number {
  let rows = 0
  for (const copy of copiesOf(target)) {
    const { copied, isComplete } = copyTable(damaged, target, copy)
    rows += copied
    if (!isComplete) onLoss(copy.name)
  }
  return rows
}

function copiesOf(target: DatabaseSync): Copy[] {
  const tables = target
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all()
    .map(row => ({ name: String(row.name), isFullText: /^CREATE VIRTUAL TABLE/i.test(String(row.sql)) }))
  const fullText = tables.filter(({ isFullText }) => isFullText)
  return tables
    .filter(({ name }) => !fullText.some(index => name.startsWith(`${index.name}_`)))
    .map(({ name, isFullText }) => {
      const info = target.prepare(`PRAGMA table_info(${name})`).all()
      const keys = info.filter(({ pk }) => pk !== 0)
      const hasKeyColumn = keys.length === 1 && keys[0]?.type === 'INTEGER'
      const columns = info.map(column => String(column.name))
      return { name, source: isFullText ? `${name}_content` : name, columns, hasKeyColumn, isFullText }
    })
}

function copyTable(damaged: DatabaseSync, target: DatabaseSync, copy: Copy) {
  let copied = 0
  let isComplete = true
  try {
    const insert = insertInto(target, copy)
    const reader = readerOf(damaged, copy)
    /** Copies a row. Values that no row has are damage too. */
    const put = ([key, ...values]: readonly SQLInputValue[]) => {
      try {
        if (copy.isFullText && !values.every(isText)) throw new StoredValueError('Expected stored text.')
        insert.run(...(copy.hasKeyColumn ? values : [key ?? null, ...values]))
        copied++
      } catch (error) {
        if (!isRefusedValue(error) && !(error instanceof StoredValueError)) throw error
        isComplete = false
      }
    }
    isComplete = copyRows(reader, put) && isComplete
  } catch (error) {
    const hasNoTable = error instanceof Error && error.message.startsWith('no such table')
    if (!hasNoTable && !isUnreadable(error)) throw error
    isComplete = false
  }
  return { copied, isComplete }
}

const isText = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array

/** Returns whether a row, or a whole table, cannot be read. */
function isUnreadable(error: unknown): boolean {
  return isDamage(error) || isReadFailure(error)
}

function insertInto(target: DatabaseSync, { name, columns, hasKeyColumn }: Copy): StatementSync {
  const all = hasKeyColumn ? columns : ['rowid', ...columns]
  // A new database has some rows already.
  return target.prepare(
    `INSERT OR REPLACE INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
  )
}

type Reader = {
  /** Yields the rows between two keys, without these, in the order of their keys. Each row begins with its key. */
  up(low: number, high: number): Iterable<readonly SQLInputValue[]>
  /** The same from the last to the first. */
  down(low: number, high: number): Iterable<readonly SQLInputValue[]>
  one(key: number): Iterable<readonly SQLInputValue[]>
  /** Returns the first key from `key` on that is below `high`; null if there is none. */
  keyFrom(key: number, high: number): number | null
  /** Returns the last key up to `key` that is above `low`; null if there is none. */
  keyUpTo(key: number, low: number): number | null
}

/** Reads by position, because the definition of a damaged table may have other names. */
function readerOf(damaged: DatabaseSync, { source, columns, isFullText }: Copy): Reader {
  const found = damaged.prepare(`PRAGMA table_info(${source})`).all()
  // The content of a full-text index begins with the key.
  const names = found.slice(isFullText ? 1 : 0).map(column => `"${String(column.name)}"`)
  // An older version has fewer columns.
  const read = ['rowid', ...columns.map((_, at) => names[at] ?? 'NULL')].join(', ')
  const rows = (where: string) => {
    const statement = damaged.prepare(`SELECT ${read} FROM ${source} NOT INDEXED WHERE ${where}`)
    statement.setReturnArrays(true)
    return (...keys: number[]) => rowsOf(statement, keys)
  }
  const key = (where: string) => {
    const statement = damaged.prepare(`SELECT rowid AS key FROM ${source} NOT INDEXED WHERE ${where} LIMIT 1`)
    return (from: number, to: number) => {
      const row = statement.get(from, to)
      return row === undefined ? null : integer(row.key)
    }
  }
  return {
    up: rows('rowid > ? AND rowid < ? ORDER BY rowid'),
    down: rows('rowid > ? AND rowid < ? ORDER BY rowid DESC'),
    one: rows('rowid = ?'),
    keyFrom: key('rowid >= ? AND rowid < ? ORDER BY rowid'),
    keyUpTo: key('rowid <= ? AND rowid > ? ORDER BY rowid DESC'),
  }
}

function* rowsOf(statement: StatementSync, keys: readonly number[]): Generator<readonly SQLInputValue[]> {
  for (const row of statement.iterate(...keys)) {
    const values: unknown = row
    if (Array.isArray(values)) yield values
  }
}

/** No row has a key that is not positive, but for events before the first millisecond. */
const firstKey = -1
const lastKey = Number.MAX_SAFE_INTEGER

/**
 * Copies all readable rows. Each range between two unreadable places is read from both of its ends.
 *
 * @returns whether all rows were readable.
 */
function copyRows(reader: Reader, put: (row: readonly SQLInputValue[]) => void): boolean {
  const ranges: (readonly [low: number, high: number])[] = [[firstKey, lastKey]]
  let isComplete = true
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const [low, high] = range
    const upTo = copyUntilDamage(reader.up(low, high), low, put, key => key > low && key < high)
    if (upTo === null) continue
    isComplete = false
    const downTo = copyUntilDamage(reader.down(upTo, high), high, put, key => key > upTo && key < high)
    if (downTo === null) continue
    const between = findBetween(reader, upTo, downTo)
    if (between === null) continue
    copyUntilDamage(reader.one(between), between, put, key => key === between)
    ranges.push([upTo, between], [between, downTo])
  }
  return isComplete
}

/**
 * Copies rows until one is unreadable or out of order. Returns the key of the last one, or `from` if there is none;
 * null if all were readable.
 */
function copyUntilDamage(
  rows: Iterable<readonly SQLInputValue[]>,
  from: number,
  put: (row: readonly SQLInputValue[]) => void,
  isInside: (key: number) => boolean,
): number | null {
  let last = from
  try {
    for (const row of rows) {
      const key = integer(row[0])
      if (!isInside(key)) return last
      put(row)
      last = key
    }
    return null
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return last
  }
}

/**
 * Returns a readable key between two, or null. The distance of each look from one end is twice that of the look before,
 * so that there are few looks, and a readable part that is about as long as the damage beside it is found.
 */
function findBetween(reader: Reader, low: number, high: number): number | null {
  const looks = [
    (distance: number) => reader.keyFrom(low + distance, high),
    (distance: number) => reader.keyUpTo(high - distance, low),
  ]
  for (const look of looks)
    for (let distance = 1; distance < high - low; distance *= 2) {
      try {
        const key = look(distance)
        if (key !== null && key > low && key < high) return key
        break
      } catch (error) {
        if (!isUnreadable(error)) throw error
      }
    }
  return null
}
