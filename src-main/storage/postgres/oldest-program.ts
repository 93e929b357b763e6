import { dayMs, minuteMs } from '#shared/durations.ts'
import type { Connection, Row } from './connect.ts'
import { storesTogether } from './migrate.ts'
import { factsOf, joinLock } from './node-list.ts'
import type { Pool } from './pool.ts'

/** Milliseconds without a node of an older program after which none may come back. */
const goneAfterMs = dayMs

/** How often a node looks whether older programs are gone. */
export const raiseStep = { name: 'oldest_program', everyMs: 10 * minuteMs, retryMs: minuteMs }

/**
 * Lets only programs use the database that know runs which are stored together, if no node of another one was seen for a
 * day. It cannot be undone.
 *
 * @param clock returns the database's time, in milliseconds since 1970.
 */
export function raiseOldestProgram(pool: Pool, clock: () => number): Promise<void> {
  return pool.transaction(async connection => {
    // None joins meanwhile.
    await connection.query(joinLock)
    await noteOlderNodes(connection)
    await connection.query(raise, [storesTogether, clock() - goneAfterMs])
  })
}

/** Keeps when a node of an older program was seen last: another node may take its slot, and its row. */
export async function noteOlderNodes(connection: Connection): Promise<void> {
  const older = (await connection.query('SELECT name, seen_at, facts FROM node')).filter(isOlder)
  const seenAt = Math.max(0, ...older.map(row => Math.abs(Number(row.seen_at))))
  if (seenAt > 0) await connection.query(note, [seenAt])
}

const isOlder = (row: Row) => (factsOf(row)?.program ?? 0) < storesTogether

const note = 'UPDATE meta SET older_seen_at = greatest(older_seen_at, $1::bigint)'
const raise = `UPDATE meta SET oldest_program = $1
  WHERE oldest_program < $1 AND coalesce(older_seen_at, 0) <= $2::bigint`
