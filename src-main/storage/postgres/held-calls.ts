import { createBus } from '#main/lib/bus.ts'
import type { DecidedCall, HeldCall, HeldCallStore } from '../held-calls.ts'
import type { Signals } from '../signals.ts'
import type { Row } from './connect.ts'
import { createLooks } from './looks.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Milliseconds between two looks at what other nodes have decided or changed. */
const lookEvery = 1000
/** Milliseconds after its end after which a call's node no longer lives. */
const deadAfter = 10_000
const topic = 'held'

/** The calls that wait for a decision, in a table that a crash of the database empties. */
export function createHeldCalls(
  pool: Pool,
  signals: Signals,
  clock: () => number,
  onError: (error: unknown) => void,
): HeldCallStore & { close(): void } {
  const changes = createBus<string>(onError)
  const decided = createBus<DecidedCall>(onError)
  /** The calls that this node holds and nobody has decided about. */
  const own = new Set<string>()
  /** What the list of each kind looked like. */
  let seen = new Map<unknown, unknown>()
  const look = createLooks(lookNow)
  const stop = signals.on(topic, kind => {
    changes.publish(kind)
    look()
  })
  const timer = setInterval(() => {
    if (own.size > 0 || changes.hasListeners()) look()
  }, lookEvery).unref()

  async function lookNow(): Promise<void> {
    if (own.size > 0)
      for (const { id, decision } of await pool.query(decisions, [[...own].map(toStored)]))
        announce(fromStored(String(id)), fromStored(String(decision)))
    if (!changes.hasListeners()) return
    const rows = await pool.query(shapes, [clock() - deadAfter])
    const now = new Map(rows.map(({ kind, shape }) => [kind, shape]))
    for (const kind of new Set([...seen.keys(), ...now.keys()]))
      if (seen.get(kind) !== now.get(kind)) changes.publish(fromStored(String(kind)))
    seen = now
  }

  function announce(id: string, decision: string): void {
    if (own.delete(id)) decided.publish({ id, decision })
  }

  function changed(kind: string): void {
    changes.publish(kind)
    signals.send(topic, kind)
  }

  return {
    changes,
    async hold(call, bounds) {
      const isHeld = await pool.transaction(async connection => {
        // One after another, so that all see the calls before them.
        await connection.query('SELECT pg_advisory_xact_lock(7236303, hashtext($1))', [call.kind])
        const { id, kind, doc, size, expiresAt } = call
        const values = [toStored(id), toStored(kind), toStored(doc), size, expiresAt]
        const held = await connection.query(hold, [...values, bounds?.most ?? null, bounds?.mostSize ?? null])
        return held.length > 0
      })
      if (isHeld) {
        own.add(call.id)
        changed(call.kind)
      }
      return isHeld
    },
    async list(kind) {
      return (await pool.query(list, [toStored(kind), clock() - deadAfter])).map(callOf)
    },
    async decide(kind, id, decision) {
      const [row] = await pool.query(decide, [toStored(id), toStored(kind), toStored(decision)])
      if (row === undefined) return null
      announce(id, decision)
      changed(kind)
      return callOf(row)
    },
    onDecided: listener => decided.subscribe(listener),
    async end(id) {
      own.delete(id)
      const [row] = await pool.query(end, [toStored(id)])
      if (row === undefined) return null
      changed(fromStored(String(row.kind)))
      return row.decision === null ? null : fromStored(String(row.decision))
    },
    close() {
      stop()
      clearInterval(timer)
    },
  }
}

function callOf({ id, kind, doc, size, expires_at: expiresAt }: Row): HeldCall {
  return {
    id: fromStored(String(id)),
    kind: fromStored(String(kind)),
    doc: fromStored(String(doc)),
    size: Number(size),
    expiresAt: expiresAt === null ? null : Number(expiresAt),
  }
}

const waits = 'decision IS NULL AND (expires_at IS NULL OR expires_at > '
const hold = {
  name: 'hold_call',
  text: `INSERT INTO held_call (id, kind, doc, size, expires_at)
    SELECT $1, $2, $3, $4::bigint, $5::bigint
      FROM (SELECT count(*) AS calls, coalesce(sum(size), 0) AS size FROM held_call WHERE kind = $2 AND decision IS NULL) AS h
      WHERE ($6::bigint IS NULL OR h.calls < $6) AND ($7::bigint IS NULL OR h.size + $4::bigint <= $7)
    RETURNING id`,
}
const list = {
  name: 'held_calls',
  text: `SELECT * FROM held_call WHERE kind = $1 AND ${waits} $2) ORDER BY place`,
}
const shapes = {
  name: 'held_shapes',
  text: `SELECT kind, count(*) || ' ' || sum(place) AS shape FROM held_call WHERE ${waits} $1) GROUP BY kind`,
}
const decisions = {
  name: 'held_decisions',
  text: 'SELECT id, decision FROM held_call WHERE id = ANY ($1::text[]) AND decision IS NOT NULL',
}
const decide = {
  name: 'decide_call',
  text: 'UPDATE held_call SET decision = $3 WHERE id = $1 AND kind = $2 AND decision IS NULL RETURNING *',
}
const end = { name: 'end_call', text: 'DELETE FROM held_call WHERE id = $1 RETURNING kind, decision' }
