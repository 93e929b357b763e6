import { mostSessions, type SessionRecords } from '../sessions.ts'
import type { Pool } from './pool.ts'

/** The sessions in a database. */
export function sessionRecords(pool: Pool): SessionRecords {
  return {
    add: (digest, expiresAt, now) =>
      pool.transaction(async connection => {
        await connection.query(add, [digest, expiresAt])
        return (await connection.query(endSurplus, [mostSessions, now])).map(row => String(row.digest))
      }),
    async open(digests, now) {
      const found = new Set((await pool.query(open, [digests, now])).map(row => String(row.digest)))
      const others = digests.filter(digest => !found.has(digest))
      if (others.length > 0) await pool.query(expire, [others, now])
      return found
    },
    async end(digest) {
      await pool.query(end, [digest])
    },
  }
}

const open = {
  name: 'open_sessions',
  text: 'SELECT digest FROM session WHERE digest = ANY ($1::text[]) AND expires_at > $2',
}
const expire = {
  name: 'expire_sessions',
  text: 'DELETE FROM session WHERE digest = ANY ($1::text[]) AND expires_at <= $2',
}
const end = { name: 'end_session', text: 'DELETE FROM session WHERE digest = $1' }
const add = {
  name: 'add_session',
  text: `INSERT INTO session (digest, expires_at) VALUES ($1, $2)
    ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at`,
}
const endSurplus = {
  name: 'end_surplus_sessions',
  text: `DELETE FROM session WHERE expires_at <= $2 OR digest IN (
      SELECT digest FROM session WHERE expires_at > $2 ORDER BY place DESC OFFSET $1)
    RETURNING digest`,
}
