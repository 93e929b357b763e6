import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { NewRunRow } from '../../rows/run-rows.ts'
import { fromStored, toStored, toStoredOrNull } from '../../rows/stored-text.ts'
import { tables } from '../../rows/tables.ts'
import { sqliteRow } from './row-codec.ts'

/** At this many UTF-16 units that copies would take, one text for all is stored: a page of the database. */
const worthwhile = 4096

/**
 * The data of runs with their texts instead of the numbers of shared ones. A lost text is a value that no row has: the data
 * counts as damaged, not as discarded.
 */
export const dataInSql = `iif(typeof(runs.data) = 'integer',
  ifnull((SELECT run_texts.data FROM run_texts WHERE run_texts.id = runs.data), 0), runs.data) AS data`

/** Selects all columns of runs. */
export const wholeRuns = `SELECT ${sqliteRow(tables.runs)
  .columns.map(({ name }) => (name === 'data' ? dataInSql : name))
  .join(', ')} FROM runs`

/**
 * Texts that several runs of one event have as their data, each stored once under the id of the first of them; `last` is the
 * last of them. Such a run has this number as its data. The database deletes a text with the last run that has it
 * (schemas.ts), whichever that is.
 */
export class SharedTexts {
  readonly #insert
  readonly #find

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO run_texts (id, last, data) VALUES (?, ?, ?)')
    this.#find = database.prepare('SELECT data FROM run_texts WHERE id = ?')
  }

  /** Yields each run, in order, with the value of its data. Stores a text that enough of them share before them. */
  *placed(runs: readonly NewRunRow[]): Generator<readonly [run: NewRunRow, data: SQLInputValue]> {
    for (let at = 0; at < runs.length; ) {
      const end = endOfEqual(runs, at)
      const [first, last] = [runs[at], runs[end - 1]]
      if (first === undefined || last === undefined) return
      const isShared = first.data !== null && (end - at - 1) * first.data.length >= worthwhile
      if (isShared) this.#insert.run(first.id, last.id, toStored(first.data))
      // A number would be stored as REAL in a column of type ANY.
      const data = isShared ? BigInt(first.id) : toStoredOrNull(first.data)
      for (; at < end; at++) yield [runs[at] ?? first, data]
    }
  }

  /** Returns the text of a value of the column. @throws StoredValueError */
  textOf(data: unknown): string {
    return fromStored(typeof data === 'number' ? this.#find.get(data)?.data : data)
  }
}

/** Returns the index after the runs that have the event and the text of the one at an index. A fan-out is alone. */
function endOfEqual(runs: readonly NewRunRow[], from: number): number {
  const first = runs[from]
  let end = from + 1
  if (first === undefined || first.event === null || first.lane === null) return end
  for (; end < runs.length; end++) {
    const run = runs[end]
    if (run === undefined || run.event !== first.event || run.lane === null || run.data !== first.data) break
  }
  return end
}
