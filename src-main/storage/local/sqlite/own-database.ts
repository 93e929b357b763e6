import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { integer, sqliteCorrupt } from '../../rows/stored-text.ts'
import { failureOf } from './protocol.ts'

/** A database of this program. */
export type DatabaseSchema = {
  /** Its name in messages, such as `event log`. */
  readonly name: string
  /** Migration n takes the file from version n to n + 1; the version is the file's `user_version`. */
  readonly migrations: readonly string[]
  readonly pragmas: string
  /** Makes the copy of what could be read of a damaged database consistent. `lost` names the incomplete tables. */
  readonly makeConsistent: (target: DatabaseSync, lost: ReadonlySet<string>, damaged: DatabaseSync) => void
}

const SQLITE_BUSY = 5
const SQLITE_IOERR = 10
const SQLITE_FULL = 13
const SQLITE_CONSTRAINT = 19
const SQLITE_MISMATCH = 20
const SQLITE_NOTADB = 26

/** The file was not written as it is by this program, nor by another one. */
export class DamagedDatabaseError extends Error {
  readonly errcode = sqliteCorrupt
}

/** The database was written by a newer version of this program. */
class NewerVersionError extends Error {}

/** A database whose tables, indexes or triggers are not those that this program creates. */
export class ForeignSchemaError extends Error {}

/** Milliseconds to wait for a lock that another process holds. */
export const lockTimeoutMs = 1000

/**
 * Opens a database, or creates it, and brings it to this program's version.
 *
 * @param isDiskFull whether there is no room for a further file. Then only this process can open the database.
 * @throws NewerVersionError, ForeignSchemaError; SQLite's errors.
 */
export function openOwnDatabase(
  file: string,
  schema: DatabaseSchema,
  maxPages: number | null,
  timeout = lockTimeoutMs,
  isDiskFull = false,
): DatabaseSync {
  const { name, migrations, pragmas } = schema
  const database = new DatabaseSync(isDiskFull ? withoutSharedMemory(file) : file, { timeout })
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY; ${pragmas}`)
    const version = versionOf(database)
    if (version > migrations.length)
      throw new NewerVersionError(
        `The ${name} has version ${version}, which a newer version of this program wrote; this one reads up to ${migrations.length}.`,
      )
    if (version < migrations.length && hasSchema(database, migrations))
      throw new DamagedDatabaseError('its version is wrong')
    for (const [step, sql] of migrations.entries())
      if (step >= version) database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${step + 1}; COMMIT`)
    requireOwnSchema(database, schema)
    if (maxPages !== null) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Names a database for SQLite's `unix-excl`, which keeps what the connections of this process share in memory, not in
 * the file `<file>-shm`, for which a full disk has no room.
 */
function withoutSharedMemory(file: string): string {
  return process.platform === 'win32' ? file : `${pathToFileURL(file).href}?vfs=unix-excl`
}

export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: lockTimeoutMs })
  database.exec('PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY')
  return database
}

/**
 * Checks that a database of this or an older version contains only what this program creates: a trigger from
 * elsewhere could drop every event.
 *
 * @throws ForeignSchemaError; DamagedDatabaseError if something of this program is missing; SQLite's errors for a file
 *   that is not a database.
 */
export function requireOwnSchema(database: DatabaseSync, { name, migrations }: DatabaseSchema): void {
  const { added, missing } = differences(database, migrations.slice(0, versionOf(database)))
  const named = (objects: readonly string[]) =>
    objects
      .slice(0, 3)
      .map(one => one.split(' ', 2).join(' '))
      .join(', ')
  if (missing.length > 0) throw new DamagedDatabaseError(`it lacks ${named(missing)}`)
  if (added.length > 0)
    throw new ForeignSchemaError(
      `The ${name} does not have the structure that this program creates: ${named(added)}. Restore a backup, or move its files away.`,
    )
}

function hasSchema(database: DatabaseSync, migrations: readonly string[]): boolean {
  const { added, missing } = differences(database, migrations)
  return added.length + missing.length === 0
}

/** Returns how the objects of a database differ from those that the migrations create. */
function differences(database: DatabaseSync, migrations: readonly string[]) {
  const expected = new DatabaseSync(':memory:')
  try {
    for (const sql of migrations) expected.exec(sql)
    const ours = objectsOf(expected)
    const found = objectsOf(database)
    return {
      added: found.filter(one => !ours.includes(one)),
      missing: ours.filter(one => !found.includes(one)),
    }
  } finally {
    expected.close()
  }
}

/** Returns each object as `type name sql`; those that SQLite creates itself have no text. */
function objectsOf(database: DatabaseSync): string[] {
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema').all()
  return rows.map(({ type, name, sql }) => `${type} ${name} ${sql}`)
}

export function versionOf(database: DatabaseSync): number {
  return integer(database.prepare('PRAGMA user_version').get()?.user_version)
}

/** Prepares statements. @param statements SQL by its names. */
export function prepareAll<Name extends string>(
  database: DatabaseSync,
  statements: Readonly<Record<Name, string>>,
): Record<Name, StatementSync> {
  const entries = Object.entries<string>(statements).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries)
}

/** Runs `work` as one write transaction, which is rolled back if it throws. */
export type Transaction = <Result>(work: () => Result) => Result

export function transactionsOn(database: DatabaseSync): Transaction {
  // IMMEDIATE waits for another process's lock here, not in the middle of the work.
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  return work => {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      // A full disk or an I/O error may have rolled back already.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

/** Returns the primary part of SQLite's result code; null for other errors. */
function resultCodeOf(error: unknown): number | null {
  const { errcode } = failureOf(error)
  return errcode === null ? null : errcode & 0xff
}

/** Returns whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_BUSY
}

/** Returns whether SQLite reports that the disk or the database is full. */
export function isFull(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_FULL
}

/** Returns whether the system could not read the file. */
export function isReadFailure(error: unknown): boolean {
  return resultCodeOf(error) === SQLITE_IOERR
}

/** Returns whether a table cannot hold a value. */
export function isRefusedValue(error: unknown): boolean {
  const code = resultCodeOf(error)
  return code === SQLITE_CONSTRAINT || code === SQLITE_MISMATCH
}

/** Returns whether the file is not a sound database, or holds values that are never stored in it. */
export function isDamage(error: unknown): boolean {
  const code = resultCodeOf(error)
  return code === sqliteCorrupt || code === SQLITE_NOTADB
}
