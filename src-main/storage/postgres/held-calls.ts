import { createBus } from '#main/lib/bus.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type { DecidedCall, HeldCall, HeldCallStore } from '../held-calls.ts'
import type { Sealer } from '../local/secrets.ts'
import type { Signals } from '../signals.ts'
import type { Row } from './connect.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Milliseconds between two polls of what other nodes have decided or changed. */
const pollEvery = 1000
/** A call whose node has not renewed its lease for so many milliseconds has ended, and how long before it renews it. */
const leaseMs = 10_000
const renewBeforeMs = 7000
/** A call is kept for longer: its node may have lost the database for a while. */
const keptMs = 3_600_000
const deleteEvery = 600_000
const topic = 'held'

/** The calls that wait for a decision. What they say is sealed on the disk. */
export function createHeldCalls(
  pool: Pool,
  signals: Signals,
  clock: () => number,
  sealer: Sealer,
  onError: (error: unknown) => void,
): HeldCallStore & { close(): void } {
  const texts = createTexts(sealer)
  const changes = createBus<string>(onError)
  const decided = createBus<DecidedCall>(onError)
  /** The calls that this node holds and nobody has decided about. */
  const own = new Set<string>()
  /** The list of each kind, as it was seen last. */
  let seen = new Map<unknown, unknown>()
  const poll = createCoalescedPoll(pollNow)
  const stop = signals.on(topic, kind => {
    changes.publish(kind)
    poll()
  })
  const timer = setInterval(() => {
    if (own.size > 0 || changes.hasListeners()) poll()
  }, pollEvery).unref()
  const deleteDead = createCoalescedPoll(async () => {
    await pool.query(removeDead, [clock() - keptMs])
  })
  deleteDead()
  const deleting = setInterval(deleteDead, deleteEvery).unref()

  async function pollNow(): Promise<void> {
    if (own.size > 0) {
      const now = clock()
      const ids = [...own].map(toStored)
      for (const row of await pool.query(renew, [ids, now + leaseMs, now + renewBeforeMs]))
        announce(fromStored(String(row.id)), texts.open(row, 'decision'))
    }
    if (!changes.hasListeners()) return
    const rows = await pool.query(shapes, [clock()])
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
        const now = clock()
        const held = await connection.query(hold, [
          ...[toStored(id), toStored(kind), texts.seal(id, 'doc', doc), size, expiresAt],
          ...[bounds?.most ?? null, bounds?.mostSize ?? null, now, now + leaseMs],
        ])
        return held.length > 0
      })
      if (isHeld) {
        own.add(call.id)
        changed(call.kind)
      }
      return isHeld
    },
    async list(kind) {
      return (await pool.query(list, [toStored(kind), clock()])).map(texts.callOf)
    },
    async decide(kind, id, decision) {
      const sealed = texts.seal(id, 'decision', decision)
      const [row] = await pool.query(decide, [toStored(id), toStored(kind), sealed, clock()])
      if (row === undefined) return null
      announce(id, decision)
      changed(kind)
      return texts.callOf(row)
    },
    onDecided: listener => decided.subscribe(listener),
    async end(id) {
      own.delete(id)
      const [row] = await pool.query(end, [toStored(id)])
      if (row === undefined) return null
      changed(fromStored(String(row.kind)))
      return row.decision === null ? null : texts.open(row, 'decision')
    },
    close() {
      stop()
      clearInterval(timer)
      clearInterval(deleting)
    },
  }
}

/** Seals the texts of calls, and opens them. */
function createTexts(sealer: Sealer) {
  const contextOf = (id: string, column: string) => `heldCall/${id}/${column}`
  const open = (row: Row, column: 'doc' | 'decision') =>
    fromStored(sealer.open(String(row[column]), contextOf(fromStored(String(row.id)), column)))
  return {
    seal: (id: string, column: 'doc' | 'decision', text: string) =>
      sealer.seal(toStored(text), contextOf(id, column)),
    open,
    callOf: (row: Row): HeldCall => ({
      id: fromStored(String(row.id)),
      kind: fromStored(String(row.kind)),
      doc: open(row, 'doc'),
      size: Number(row.size),
      expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    }),
  }
}

const waitsAt = (now: string) => `decision IS NULL AND leased_until > ${now}::bigint`
const hold = {
  name: 'hold_call',
  text: `INSERT INTO held_call (id, kind, doc, size, expires_at, leased_until)
    SELECT $1, $2, $3, $4::bigint, $5::bigint, $9::bigint
      FROM (SELECT count(*) AS calls, coalesce(sum(size), 0) AS size FROM held_call
        WHERE kind = $2 AND ${waitsAt('$8')}) AS h
      WHERE ($6::bigint IS NULL OR h.calls < $6) AND ($7::bigint IS NULL OR h.size + $4::bigint <= $7)
    RETURNING id`,
}
const list = {
  name: 'held_calls',
  text: `SELECT * FROM held_call WHERE kind = $1 AND ${waitsAt('$2')} ORDER BY place`,
}
const shapes = {
  name: 'held_shapes',
  text: `SELECT kind, count(*) || ' ' || sum(place) AS shape FROM held_call WHERE ${waitsAt('$1')} GROUP BY kind`,
}
/** Renews the leases of the calls $1 until $2 that end before $3. Returns those that are decided. */
const renew = {
  name: 'renew_calls',
  text: `WITH r AS (UPDATE held_call SET leased_until = $2
      WHERE id = ANY ($1::text[]) AND decision IS NULL AND leased_until < $3::bigint)
    SELECT id, decision FROM held_call WHERE id = ANY ($1::text[]) AND decision IS NOT NULL`,
}
const decide = {
  name: 'decide_call',
  text: `UPDATE held_call SET decision = $3 WHERE id = $1 AND kind = $2 AND ${waitsAt('$4')} RETURNING *`,
}
const end = { name: 'end_call', text: 'DELETE FROM held_call WHERE id = $1 RETURNING id, kind, decision' }
const removeDead = { name: 'remove_dead_calls', text: 'DELETE FROM held_call WHERE leased_until < $1' }
