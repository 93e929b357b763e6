import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Codecs, type Columns, type RowCodec, type RowOf, rowCodec } from '../../rows/columns.ts'
import {
  fromStored,
  fromStoredOrNull,
  integer,
  StoredValueError,
  toStored,
  toStoredOrNull,
} from '../../rows/stored-text.ts'

const codecs: Codecs<SQLInputValue> = {
  text: { read: fromStored, write: toStored },
  textOrNull: { read: fromStoredOrNull, write: toStoredOrNull },
  plain: { read: fromStored, write: text => text },
  plainOrNull: { read: fromStoredOrNull, write: text => text },
  integer: { read: integer, write: number => number },
  integerOrNull: { read: value => (value === null ? null : integer(value)), write: number => number },
  flag: { read: value => value === 1, write: is => (is ? 1 : 0) },
  bytes: { read: bytesOf, write: bytes => bytes },
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new StoredValueError(`Expected bytes, found ${typeof value}.`)
}

/** Returns how SQLite stores the rows of a table. Reading throws StoredValueError. */
export function sqliteRow<Table extends Columns>(table: Table): RowCodec<Table, SQLInputValue> {
  return rowCodec(table, codecs)
}

/** Returns the function that inserts rows. */
export function inserter<Table extends Columns>(
  database: DatabaseSync,
  name: string,
  table: Table,
): (rows: readonly RowOf<Table>[]) => void {
  const { columns } = sqliteRow(table)
  const names = columns.map(column => column.name).join(', ')
  const insert = database.prepare(
    `INSERT INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  return rows => {
    for (const row of rows) insert.run(...columns.map(({ of }) => of(row)))
  }
}
