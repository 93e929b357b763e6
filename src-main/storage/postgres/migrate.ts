import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '#shared/errors.ts'
import { rewrittenNotice } from '../local/migrate.ts'
import { type Connection, sqlStateOf } from './connect.ts'
import { sql as first } from './migrations/001.ts'
import { sql as second } from './migrations/002.ts'
import { sql as third } from './migrations/003.ts'
import { sql as fourth } from './migrations/004.ts'
import { sql as fifth } from './migrations/005.ts'
import { sql as sixth } from './migrations/006.ts'
import { sql as seventh } from './migrations/007.ts'
import { sql as eighth } from './migrations/008.ts'
import type { Pool } from './pool.ts'
import { isLocked, isNotAllowed, lockHolder, missingRights } from './refusals.ts'
import { isEndedForOthers } from './repeats.ts'

/**
 * The SQL that each version of the schema adds, in modules: the bundle has no other files, and Node runs the sources as
 * they are. A version only expands what the one before can read; the next one removes what is no longer used.
 */
const migrations: readonly string[] = [first, second, third, fourth, fifth, sixth, seventh, eighth]
/** The number of this program. */
export const program = migrations.length
/** The oldest program, by the number of its migrations, that works with the newest schema. */
const oldestProgram = 1
/** The first program that knows runs which are stored together: they are only written once no older one may use the database. */
export const storesTogether = migrations.indexOf(seventh) + 1

/** Milliseconds for one statement of a migration, or until another process has migrated. */
export const migrateMs = 600_000
/** Nodes that run wait behind a migration that waits for a table, so it soon lets them pass, and tries again. */
const lockTimeout = '1s'
const againAfterMs = 1000

/** So that one process at a time migrates a database. */
const lock = 'SELECT pg_advisory_xact_lock(7236301)'

/**
 * Brings the schema of a database up to this program's, in one transaction, while programs of the version before use it.
 *
 * @param checkKey throws if the text that the key of this process has to open is not one of its.
 * @param onWarning receives which session this waits for, and which workflows it has rewritten.
 * @throws ServiceError `newer_database` if the schema is one that this program cannot use; `database_not_empty` if another
 *   program has tables of the same names; `storage_unavailable`, with what the role may not do; the error of `checkKey`.
 */
export async function migrate(
  pool: Pool,
  checkKey?: (sealed: string) => void,
  onWarning: (text: string) => void = () => {},
): Promise<void> {
  let told: string | null = null
  for (const until = performance.now() + migrateMs; ; await delay(againAfterMs)) {
    try {
      const rewritten = await migrateNow(pool, checkKey)
      if (rewritten !== null) onWarning(rewritten)
      return
    } catch (error) {
      if (isNotAllowed(error)) {
        const detail = await missingRights(pool)
        throw new ServiceError('storage_unavailable', { detail, cause: error })
      }
      const isWaiting = isLocked(error)
      if (!(isWaiting || isEndedForOthers(error)) || performance.now() > until) throw error
      if (!isWaiting || told !== null) continue
      told = await lockHolder(pool)
      if (told !== null) onWarning(`The start waits for a lock. ${told}`)
    }
  }
}

/** Returns what to tell the operator of rewritten workflows; null for none. */
function migrateNow(pool: Pool, checkKey?: (sealed: string) => void): Promise<string | null> {
  let isNew = true
  return pool
    .transaction(async connection => {
      await connection.query(lock)
      await connection.query(`SET LOCAL lock_timeout = '${lockTimeout}'`)
      await connection.query(`CREATE TABLE IF NOT EXISTS meta (
      one boolean PRIMARY KEY DEFAULT true CHECK (one), schema integer NOT NULL, oldest_program integer NOT NULL, key_check text)`)
      const [found] = await connection.query('SELECT schema, oldest_program AS oldest, key_check FROM meta')
      isNew = found === undefined
      const schema = Number(found?.schema ?? 0)
      if (Number(found?.oldest ?? 0) > program) throw new ServiceError('newer_database')
      if (typeof found?.key_check === 'string') checkKey?.(found.key_check)
      for (const sql of migrations.slice(schema)) await connection.query(sql)
      if (schema < program) await keep(connection)
      if (schema === 0 || schema >= 5) return null
      const rows = await connection.query(rewritten)
      return rewrittenNotice(rows.map(({ doc }): { name: string } => JSON.parse(String(doc))))
    })
    .catch(error => {
      throw isNew && isNameTaken(error)
        ? new ServiceError('database_not_empty', { detail: taken, cause: error.cause })
        : error
    })
}

const rewritten = `SELECT doc FROM config_part WHERE kind = 'workflows' AND doc LIKE '%{{event.$%'`

const taken =
  'The database has tables of another program, with names that this one uses. Create a database of its own.'

/** Whether something of that name is there already, or a table `meta` is another one. */
function isNameTaken(error: unknown): boolean {
  return ['42P07', '42710', '42703'].includes(sqlStateOf(error) ?? '')
}

const keep = (connection: Connection) =>
  connection.query(
    `INSERT INTO meta AS m (schema, oldest_program) VALUES ($1, $2)
      ON CONFLICT (one) DO UPDATE SET schema = excluded.schema, oldest_program = greatest(m.oldest_program, $3)`,
    [program, Math.max(oldestProgram, storesTogether), oldestProgram],
  )

/**
 * Returns the number of the oldest program that may use the database.
 *
 * @throws ServiceError `newer_database` if a newer program has removed from the schema what this one uses.
 */
export async function requireFitting(connection: Connection): Promise<number> {
  const [found] = await connection.query('SELECT oldest_program AS oldest FROM meta')
  const oldest = Number(found?.oldest)
  if (oldest > program) throw new ServiceError('newer_database')
  return oldest
}
