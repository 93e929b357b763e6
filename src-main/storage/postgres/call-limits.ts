import { z } from 'zod'
import { hourMs } from '#shared/durations.ts'
import { RateLimit } from '#shared/model/rate-limit.ts'
import type { CallLimitRecords } from '../call-limits.ts'
import { type CallWindow, emptyWindow } from '../call-window.ts'
import type { Pool } from './pool.ts'

const StoredWindow = z.object({
  taken: z.array(z.tuple([z.number(), z.int().min(1)])),
  lineEnd: z.number(),
  limit: RateLimit.optional(),
})

/** Rows that were not used for so long limit nothing any more. */
const keptMs = 2 * hourMs

/** The limits in a database. The row of a connection is locked while its window changes. */
export function callLimitRecords(pool: Pool): CallLimitRecords {
  return {
    async pauses(now) {
      const rows = await pool.query(readPauses, [now])
      return rows.map(({ connection, until }) => ({ connectionId: String(connection), until: Number(until) }))
    },
    async setPause({ connectionId, until }, now) {
      await pool.query(setPause, [connectionId, until, now])
      await pool.query(tidy, [now - keptMs])
    },
    async endPause(connectionId) {
      await pool.query(endPause, [connectionId])
    },
    change: (connectionId, change) =>
      pool.transaction(async connection => {
        let [row] = await connection.query(lockWindow, [connectionId])
        if (row === undefined) {
          await connection.query(addRow, [connectionId])
          row = (await connection.query(lockWindow, [connectionId]))[0]
        }
        // The time may be from before the wait for the lock, which makes places count longer, never shorter.
        const now = Number(row?.now)
        const { window, result } = change(windowOf(row?.call_window), now)
        await connection.query(writeWindow, [connectionId, JSON.stringify(window), now])
        return result
      }),
  }
}

function windowOf(text: unknown): CallWindow {
  return typeof text === 'string' ? StoredWindow.parse(JSON.parse(text)) : emptyWindow
}

const readPauses = {
  name: 'call_pauses',
  text: 'SELECT connection, paused_until AS until FROM call_limit WHERE paused_until > $1',
}
const setPause = {
  name: 'set_call_pause',
  text: `INSERT INTO call_limit AS c (connection, paused_until, used_at) VALUES ($1, $2, $3)
    ON CONFLICT (connection) DO UPDATE
      SET paused_until = greatest(c.paused_until, excluded.paused_until), used_at = excluded.used_at`,
}
const endPause = {
  name: 'end_call_pause',
  text: 'UPDATE call_limit SET paused_until = 0 WHERE connection = $1',
}
const tidy = { name: 'tidy_call_limits', text: 'DELETE FROM call_limit WHERE used_at < $1' }
const lockWindow = {
  name: 'lock_call_window',
  text: `SELECT call_window, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
    FROM call_limit WHERE connection = $1 FOR UPDATE`,
}
const addRow = {
  name: 'add_call_limit',
  text: 'INSERT INTO call_limit (connection) VALUES ($1) ON CONFLICT (connection) DO NOTHING',
}
const writeWindow = {
  name: 'write_call_window',
  text: 'UPDATE call_limit SET call_window = $2, used_at = $3 WHERE connection = $1',
}
