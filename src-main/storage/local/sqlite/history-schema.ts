import { DatabaseSync } from 'node:sqlite'
import { requireOwnSchema } from './own-schema.ts'
import { NewerVersionError } from './schema.ts'
import { integer } from './stored-text.ts'

const busyTimeout = 1000

/** Migration n takes the file from version n to n + 1; the version is the file's `user_version`. */
const migrations = [
  `
  CREATE TABLE occurrences (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    connection TEXT NOT NULL,
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    place INTEGER NOT NULL,
    finding TEXT,
    summary TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE INDEX occurrences_by_connection ON occurrences (kind, connection, number);
  CREATE INDEX occurrences_by_place ON occurrences (place);
  `,
]

/** The version of the history that this program writes; it reads older ones too. */
export const historyVersion = migrations.length

/**
 * Opens the history and brings it to this program's version. `synchronous = NORMAL`: what is written survives
 * the process, and a loss of power may take the last writes, which is enough for what is kept here.
 *
 * @throws NewerVersionError for a file of a newer program; SQLite's errors.
 */
export function openHistory(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2000')
    database.exec('PRAGMA journal_size_limit = 4194304; PRAGMA temp_store = MEMORY')
    migrate(database)
    requireOwnSchema(database, migrations, 'The history')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Makes sure that a history of this or an older version holds nothing but what this program made.
 *
 * @throws ForeignSchemaError; SQLite's errors for what is not a database.
 */
export function requireOwnHistory(database: DatabaseSync): void {
  const version = integer(database.prepare('PRAGMA user_version').get()?.user_version)
  requireOwnSchema(database, migrations.slice(0, version), 'It')
}

function migrate(database: DatabaseSync): void {
  const version = integer(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version > migrations.length) {
    throw new NewerVersionError(
      `The history has version ${version}, this program knows up to ${migrations.length}: it was written by a newer version.`,
    )
  }
  for (const [step, sql] of migrations.entries()) {
    if (step < version) continue
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${step + 1}; COMMIT`)
  }
}
