import { type AlertStore, closedAlerts, type StoredAlert } from '../alerts.ts'
import type { Row } from './connect.ts'
import type { Pool } from './pool.ts'

/** Keeps the alerts in a database. */
export function createAlerts(pool: Pool): AlertStore {
  return {
    load: () =>
      pool.transaction(async connection => {
        const [memory] = await connection.query('SELECT at, doc FROM alert_step')
        const rows = await connection.query(
          'SELECT * FROM alert WHERE closed_at IS NULL OR NOT is_told ORDER BY number',
        )
        return {
          memory: { at: Number(memory?.at), doc: String(memory?.doc) },
          alerts: rows.map(alertOf),
        }
      }),
    write: ({ readAt, memory, alerts }) =>
      pool.transaction(async connection => {
        const [written] = await connection.query(
          'UPDATE alert_step SET at = $1, doc = $2 WHERE at = $3 RETURNING at',
          [memory.at, memory.doc, readAt],
        )
        if (written === undefined) return false
        for (const alert of alerts) await connection.query(put, valuesOf(alert))
        return true
      }),
    async told({ number, closedAt }) {
      await pool.query(
        'UPDATE alert SET is_told = true WHERE number = $1 AND closed_at IS NOT DISTINCT FROM $2::bigint',
        [number, closedAt],
      )
    },
    async get(number) {
      const [row] = await pool.query('SELECT * FROM alert WHERE number = $1', [number])
      return row === undefined ? null : alertOf(row)
    },
    async list({ state, kind, workspaceId, connectionId, before, limit }) {
      const of = [kind ?? null, workspaceId ?? null, connectionId ?? null]
      return (await pool.query(list, [before, state, ...of, limit])).map(alertOf)
    },
    mute: async (number, until) =>
      (
        await pool.query(
          'UPDATE alert SET muted_until = $2 WHERE number = $1 AND closed_at IS NULL RETURNING number',
          [number, until],
        )
      ).length > 0,
    async countOpen() {
      const rows = await pool.query(
        'SELECT kind, count(*)::int AS alerts FROM alert WHERE closed_at IS NULL GROUP BY kind',
      )
      return Object.fromEntries(rows.map(({ kind, alerts }) => [String(kind), Number(alerts)]))
    },
    async prune(before) {
      await pool.query(prune, [before, closedAlerts.most])
    },
  }
}

/** The values of an alert. A repeated number changes only what a step decides: a person may have muted it meanwhile. */
const put = {
  name: 'put_alert',
  text: `WITH known AS (UPDATE alert SET closed_at = $7, is_told = $8, doc = $10 WHERE number = $1 RETURNING number)
    INSERT INTO alert (number, kind, subject, workspace, connection, opened_at, closed_at, is_told, muted_until, doc)
      SELECT $1::bigint, $2, $3, $4, $5, $6::bigint, $7::bigint, $8::boolean, $9::bigint, $10
      WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT DO NOTHING`,
}
const list = {
  name: 'alerts',
  text: `SELECT * FROM alert WHERE number < $1 AND ($2 = 'all' OR (closed_at IS NULL) = ($2 = 'open'))
      AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR workspace = $4) AND ($5::text IS NULL OR connection = $5)
    ORDER BY number DESC LIMIT $6`,
}
const prune = {
  name: 'prune_alerts',
  text: `DELETE FROM alert WHERE closed_at < $1 OR number IN (
    SELECT number FROM alert WHERE closed_at IS NOT NULL ORDER BY number DESC OFFSET $2)`,
}

function valuesOf(alert: StoredAlert): unknown[] {
  const { number, kind, subject, workspaceId, connectionId, openedAt, closedAt, isTold, mutedUntil, doc } =
    alert
  return [number, kind, subject, workspaceId, connectionId, openedAt, closedAt, isTold, mutedUntil, doc]
}

function alertOf(row: Row): StoredAlert {
  return {
    number: Number(row.number),
    kind: String(row.kind),
    subject: String(row.subject),
    workspaceId: String(row.workspace),
    connectionId: row.connection === null ? null : String(row.connection),
    openedAt: Number(row.opened_at),
    closedAt: row.closed_at === null ? null : Number(row.closed_at),
    isTold: row.is_told === true,
    mutedUntil: Number(row.muted_until),
    doc: String(row.doc),
  }
}
