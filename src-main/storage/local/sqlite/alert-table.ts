import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import {
  type AlertMemory,
  type AlertQuery,
  type AlertWrite,
  closedAlerts,
  type StoredAlert,
} from '#main/storage/alerts.ts'
import { fromStored, integer } from '../../rows/stored-text.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'

const statements = {
  memory: 'SELECT at, doc FROM alert_step',
  pending: 'SELECT * FROM alert WHERE closed_at IS NULL OR NOT is_told ORDER BY number',
  remember: 'UPDATE alert_step SET at = ?, doc = ? WHERE at = ?',
  update: `UPDATE alert SET closed_at = ?, is_told = ?, doc = ? WHERE number = ?`,
  insert: `INSERT OR IGNORE INTO alert (number, kind, subject, workspace, connection, opened_at, closed_at, is_told, muted_until, doc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  told: 'UPDATE alert SET is_told = 1 WHERE number = ? AND closed_at IS ?',
  get: 'SELECT * FROM alert WHERE number = ?',
  list: `SELECT * FROM alert WHERE number < ? AND (? OR (closed_at IS NULL) = ?) AND kind = ifnull(?, kind)
    AND workspace = ifnull(?, workspace) AND (?6 IS NULL OR connection = ?6) ORDER BY number DESC LIMIT ?`,
  mute: 'UPDATE alert SET muted_until = ? WHERE number = ? AND closed_at IS NULL',
  countOpen: 'SELECT kind, count(*) AS alerts FROM alert WHERE closed_at IS NULL GROUP BY kind',
  prune: `DELETE FROM alert WHERE closed_at < ?1 OR number IN (
    SELECT number FROM alert WHERE closed_at IS NOT NULL ORDER BY number DESC LIMIT -1 OFFSET ?2)`,
}

/** The alerts in SQLite. Each method is one transaction, or throws SQLite's error and changes nothing. */
export class AlertTable {
  readonly #transaction: Transaction
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#transaction = transactionsOn(database)
    this.#statements = prepareAll(database, statements)
  }

  load() {
    const { at, doc } = this.#statements.memory.get() ?? {}
    const memory: AlertMemory = { at: integer(at), doc: fromStored(doc) }
    return { memory, alerts: this.#statements.pending.all().map(alertOf) }
  }

  write({ readAt, memory, alerts }: AlertWrite): boolean {
    return this.#transaction(() => {
      if (this.#statements.remember.run(memory.at, memory.doc, readAt).changes === 0) return false
      for (const alert of alerts) this.#put(alert)
      return true
    })
  }

  #put(alert: StoredAlert): void {
    const { number, kind, subject, workspaceId, connectionId, openedAt, closedAt, mutedUntil, doc } = alert
    const isTold = Number(alert.isTold)
    if (this.#statements.update.run(closedAt, isTold, doc, number).changes > 0) return
    const place = [workspaceId, connectionId, openedAt, closedAt] as const
    this.#statements.insert.run(number, kind, subject, ...place, isTold, mutedUntil, doc)
  }

  told({ number, closedAt }: Pick<StoredAlert, 'number' | 'closedAt'>): void {
    this.#statements.told.run(number, closedAt)
  }

  get(number: number): StoredAlert | null {
    const row = this.#statements.get.get(number)
    return row === undefined ? null : alertOf(row)
  }

  list({ state, kind, workspaceId, connectionId, before, limit }: AlertQuery): StoredAlert[] {
    const chosen = [Number(state === 'all'), Number(state === 'open')] as const
    const of = [kind ?? null, workspaceId ?? null, connectionId ?? null] as const
    return this.#statements.list.all(before, ...chosen, ...of, limit).map(alertOf)
  }

  mute(number: number, until: number): boolean {
    return this.#statements.mute.run(until, number).changes > 0
  }

  countOpen(): Record<string, number> {
    return Object.fromEntries(
      this.#statements.countOpen.all().map(({ kind, alerts }) => [fromStored(kind), integer(alerts)]),
    )
  }

  prune(before: number): void {
    this.#statements.prune.run(before, closedAlerts.most)
  }
}

function alertOf(row: Record<string, SQLOutputValue>): StoredAlert {
  return {
    number: integer(row.number),
    kind: fromStored(row.kind),
    subject: fromStored(row.subject),
    workspaceId: fromStored(row.workspace),
    connectionId: row.connection === null ? null : fromStored(row.connection),
    openedAt: integer(row.opened_at),
    closedAt: row.closed_at === null ? null : integer(row.closed_at),
    isTold: integer(row.is_told) === 1,
    mutedUntil: integer(row.muted_until),
    doc: fromStored(row.doc),
  }
}
