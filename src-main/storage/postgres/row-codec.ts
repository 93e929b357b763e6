import { type Codecs, type Columns, type RowCodec, type RowOf, rowCodec } from '../rows/columns.ts'
import type { Connection } from './connect.ts'
import { fromStored, toStored, toStoredOrNull } from './stored-text.ts'

const textOf = (value: unknown) => fromStored(String(value))
const textOrNullOf = (value: unknown) => (value === null ? null : textOf(value))

const codecs: Codecs<unknown> = {
  text: { read: textOf, write: toStored },
  textOrNull: { read: textOrNullOf, write: toStoredOrNull },
  plain: { read: textOf, write: toStored },
  plainOrNull: { read: textOrNullOf, write: toStoredOrNull },
  integer: { read: Number, write: number => number },
  integerOrNull: { read: value => (value === null ? null : Number(value)), write: number => number },
  flag: { read: value => value === true, write: is => is },
  bytes: { read: bytesOf, write: bytes => bytes },
}

const types = {
  ...{ text: 'text', textOrNull: 'text', plain: 'text', plainOrNull: 'text', bytes: 'bytea' },
  ...{ integer: 'bigint', integerOrNull: 'bigint', flag: 'boolean' },
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new TypeError(`Expected bytes, found ${typeof value}.`)
}

/** Returns how PostgreSQL stores the rows of a table. */
export function postgresRow<Table extends Columns>(table: Table): RowCodec<Table, unknown> {
  return rowCodec(table, codecs)
}

/**
 * Returns the function that inserts rows in their order.
 *
 * @param end of the statement.
 */
export function inserter<Table extends Columns>(
  connection: Connection,
  name: string,
  table: Table,
  end = '',
): (rows: readonly RowOf<Table>[]) => Promise<void> {
  const { columns } = postgresRow(table)
  const names = columns.map(column => column.name).join(', ')
  const arrays = columns.map(({ kind }, index) => `$${index + 1}::${types[kind]}[]`).join(', ')
  const text = `INSERT INTO ${name} (${names}) SELECT ${names} FROM unnest(${arrays}) WITH ORDINALITY
    AS u(${names}, nth) ORDER BY nth ${end}`
  return async rows => {
    if (rows.length === 0) return
    await connection.query(
      text,
      columns.map(({ of }) => rows.map(of)),
    )
  }
}
