import { DatabaseSync } from 'node:sqlite'

/** A database whose tables, indexes or triggers are not those that this program made. */
export class ForeignSchemaError extends Error {}

/**
 * Makes sure that a database holds what these migrations make and nothing else: a trigger from elsewhere could
 * drop every event that is stored.
 *
 * @param what the database is called, at the beginning of a sentence.
 * @throws ForeignSchemaError
 */
export function requireOwnSchema(database: DatabaseSync, migrations: readonly string[], what: string): void {
  const expected = new DatabaseSync(':memory:')
  try {
    for (const sql of migrations) expected.exec(sql)
    const ours = new Set(objectsOf(expected))
    const found = new Set(objectsOf(database))
    const foreign = [...found].filter(one => !ours.has(one))
    const missing = [...ours].filter(one => !found.has(one))
    const named = [...foreign, ...missing].map(one => one.split(' ', 2).join(' '))
    if (named.length > 0)
      throw new ForeignSchemaError(
        `${what} does not have the structure that this program made: ${named.slice(0, 3).join(', ')}. Restore a backup, or move its files away.`,
      )
  } finally {
    expected.close()
  }
}

/** Each object as `type name sql`; what SQLite makes by itself has no text. */
function objectsOf(database: DatabaseSync): string[] {
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema').all()
  return rows.map(({ type, name, sql }) => `${type} ${name} ${sql}`)
}
