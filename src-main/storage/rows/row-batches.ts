import type { Rows } from './tables.ts'

/** Rows of a table. A storage exports the configuration, then each other table of `tables`, in several batches. */
export type RowBatch = { readonly [Table in keyof Rows]?: readonly Rows[Table][] }

/** Returns a batch with rows of one table. */
export function batchOf<Table extends keyof Rows>(table: Table, rows: readonly Rows[Table][]): RowBatch {
  // The type of a computed key is lost.
  return { [table]: rows } as RowBatch
}

/** A batch ends with one of these. */
const mostRows = 500
const mostSize = 256 * 1024

/** Yields rows of a table in batches of a bounded size, so that no more than one of them, or one row, is in memory. */
export function* inBatches<Table extends keyof Rows>(
  table: Table,
  rows: Iterable<Rows[Table]>,
): Generator<RowBatch> {
  let batch: Rows[Table][] = []
  let size = 0
  for (const row of rows) {
    batch.push(row)
    size += sizeOf(row)
    if (batch.length < mostRows && size < mostSize) continue
    yield batchOf(table, batch)
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batchOf(table, batch)
}

/** Returns about how many bytes a row takes. */
export function sizeOf(row: object): number {
  let size = 0
  for (const value of Object.values(row))
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
    else if (Array.isArray(value)) size += value.length * 32
  return size
}
