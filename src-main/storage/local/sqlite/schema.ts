import { DatabaseSync } from 'node:sqlite'
import { requireOwnSchema } from './own-schema.ts'
import { failureOf } from './protocol.ts'
import { integer } from './stored-text.ts'

/** Milliseconds to wait for a lock that another process holds on the files. */
const busyTimeout = 1000

/**
 * Migration n takes the log from version n to n + 1; the version is the file's `user_version`.
 *
 * `events_by_connection` needs no second column: SQLite puts the row's key, seq, behind every index entry.
 * There is no index by name here: names and text are found by the derived index (text-index.ts), since
 * keeping such an index in each commit took as much time as all the rest of it.
 * No auto_vacuum: it made each insert 5 to 20 % dearer, and pages freed by pruning are used again. So the file
 * keeps its largest size; a backup is a copy of that size too.
 * No quick_check at start: it reads the whole file. Damage found at start sets the file aside; damage met
 * later fails what met it.
 * Columns of type ANY hold stored-text.ts's texts.
 * The states of runs are numbered in run-rows.ts; each index of them has the row's key, id, behind it, too.
 */
const migrations = [
  `
  CREATE TABLE connections (
    id INTEGER PRIMARY KEY,
    key ANY NOT NULL UNIQUE,
    hidden_up_to INTEGER NOT NULL DEFAULT -1
  ) STRICT;
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    connection INTEGER NOT NULL,
    name ANY NOT NULL,
    received_at INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    replay_of ANY,
    headers ANY NOT NULL,
    body ANY NOT NULL
  ) STRICT;
  CREATE INDEX events_by_connection ON events (connection);
  CREATE TABLE log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    identity TEXT NOT NULL,
    newest_seq INTEGER NOT NULL,
    probes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO log VALUES (1, lower(hex(randomblob(16))), -1, 0);
  `,
  `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    workflow TEXT NOT NULL,
    workspace TEXT NOT NULL,
    connection TEXT NOT NULL,
    event INTEGER,
    lane TEXT NOT NULL,
    state INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    error ANY,
    summary ANY NOT NULL,
    data ANY
  ) STRICT;
  CREATE INDEX runs_due ON runs (lane, state, due_at) WHERE state < 2;
  CREATE INDEX runs_leased ON runs (due_at) WHERE state = 2;
  CREATE INDEX runs_by_workflow ON runs (workflow, state);
  CREATE INDEX runs_by_connection ON runs (connection, state);
  CREATE INDEX runs_by_state ON runs (state);
  CREATE TABLE run_steps (
    run INTEGER NOT NULL,
    path ANY NOT NULL,
    attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    error ANY,
    call TEXT,
    input ANY,
    output ANY,
    is_cut INTEGER NOT NULL,
    PRIMARY KEY (run, path, attempt)
  ) STRICT;
  `,
]

/** The version of the log that this program writes; it reads older ones too. */
export const eventLogVersion = migrations.length

export class NewerVersionError extends Error {}

/**
 * Opens the log for writing and brings it to this program's version.
 * @throws NewerVersionError for a file of a newer program; SQLite's errors when it cannot be opened.
 */
export function openForWriting(file: string, maxPages: number | null): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0')
    database.exec(
      'PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY',
    )
    migrate(database)
    requireOwnSchema(database, migrations, 'The event log')
    if (maxPages !== null) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Makes sure that a log of this or an older version holds nothing but what this program made.
 *
 * @throws ForeignSchemaError; SQLite's errors for what is not a database.
 */
export function requireOwnLog(database: DatabaseSync): void {
  const version = integer(database.prepare('PRAGMA user_version').get()?.user_version)
  requireOwnSchema(database, migrations.slice(0, version), 'It')
}

export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeout })
  database.exec('PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY')
  return database
}

function migrate(database: DatabaseSync): void {
  const version = integer(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version > migrations.length) {
    throw new NewerVersionError(
      `The event log has version ${version}, this program knows up to ${migrations.length}: it was written by a newer version.`,
    )
  }
  for (const [step, sql] of migrations.entries()) {
    if (step < version) continue
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${step + 1}; COMMIT`)
  }
}

const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

const SQLITE_FULL = 13

/** Returns whether SQLite's error says that the disk or the database is full. */
export function isFull(error: unknown): boolean {
  const { errcode } = failureOf(error)
  return errcode !== null && (errcode & 0xff) === SQLITE_FULL
}

/** Whether SQLite's error says that the file is no (sound) database. */
export function isDamage(error: unknown): boolean {
  const { errcode } = failureOf(error)
  const primary = errcode === null ? null : errcode & 0xff
  return primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB
}
