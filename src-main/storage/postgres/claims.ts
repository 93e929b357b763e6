import { state } from '../rows/run-rows.ts'
import type { Claimed, LaneLimit, LaneLimits } from '../runs.ts'
import type { Connection, Row } from './connect.ts'
import { isUnfenced } from './fence.ts'
import { PerServer } from './per-server.ts'
import type { Pool } from './pool.ts'
import { queryOn } from './repeats.ts'
import { handedBack, runOfRow } from './run-row.ts'
import { fromStored, toStored } from './stored-text.ts'

/** How many runs of a cancelled lane may be claimed at once. */
const cancelledAtOnce = 100
/** Lanes with waiting runs among which one claim chooses; the next claim goes on after them. */
const mostLanes = 64
/** Milliseconds between two checks of what is skipped as long done, and by which the search for ended leases reaches back. */
const checkAgainMs = 60_000
const leaseMarginMs = 10_000
/** Milliseconds after which a lane is looked at again that another claim serves. */
const lockedMs = 10
/** Lanes whose floors are remembered. */
const mostFloors = 256

const nothing: Claimed = { runs: [], nextDueAt: null }

/** Claims runs, and keeps the limits of lanes. */
export class Claims {
  readonly #pool
  readonly #slot
  readonly #clock
  readonly #mayWork
  readonly #version
  readonly #limits = new Map<string, LaneLimit>()
  /** The lanes that exist. */
  readonly #known = new PerServer(() => new Set<string>())
  /** The lane after which the next claim begins, and after which a pass over all lanes has begun; empty for the last lane. */
  #after = ''
  #start = ''
  readonly #unwritten = new Map<string, LaneLimit>()
  #writing: Promise<void> | null = null
  #looked = new PerServer(nothingLooked)
  #checkedAt: number

  /**
   * @param slot returns the slot of this node.
   * @param mayWork whether it may claim.
   * @param version returns that of the configuration by which it carries out runs now. If it is fenced off, no run is claimed.
   */
  constructor(
    pool: Pool,
    slot: () => number,
    clock: () => number,
    mayWork: () => boolean,
    version: () => number,
  ) {
    this.#mayWork = mayWork
    this.#version = version
    this.#pool = pool
    this.#slot = slot
    this.#clock = clock
    this.#checkedAt = clock()
  }

  isOrdered(lane: string | null): boolean {
    return lane === null || this.#limits.get(lane) === 'ordered'
  }

  /** Whether the runs of a lane that only decide may end before earlier ones, as far as this node knows. */
  mayDecide(lane: string): boolean {
    const limit = this.#limits.get(lane)
    return limit !== 0 && limit !== 'ordered' && limit !== 'cancelled'
  }

  /** Returns the place below which no fan-out waits to be decided on a server. */
  settled(server: number): number {
    return this.#looked.of(server).settling.settled
  }

  /** Makes lanes exist on the server of a connection, so that their runs can be claimed. */
  async know(connection: Connection, lanes: Iterable<string>): Promise<void> {
    const known = this.#known.of(connection.server)
    const unknown = Array.from(lanes).filter(lane => !known.has(lane))
    if (unknown.length === 0) return
    const limits = unknown.map(lane => [lane, this.#limits.get(lane) ?? defaultLimit] as const)
    await queryOn(connection, addLanes, columnsOf(limits.toSorted(([one], [two]) => (one < two ? -1 : 1))))
    for (const lane of unknown) known.add(lane)
  }

  /** Takes note of limits that were written in another way. */
  note(limits: LaneLimits): void {
    for (const [lane, limit] of limits) this.#limits.set(lane, limit)
  }

  /** Resolves when no claim ignores the limits any more. */
  setLimits(limits: ReadonlyMap<string, LaneLimit>): Promise<void> {
    for (const [lane, limit] of limits) {
      if (this.#limits.get(lane) === limit) continue
      this.#limits.set(lane, limit)
      this.#unwritten.set(lane, limit)
    }
    return this.flush()
  }

  /** Writes the limits that are not written yet. */
  async flush(): Promise<void> {
    while (this.#writing !== null || this.#unwritten.size > 0) {
      this.#writing ??= this.#writeLimits().finally(() => {
        this.#writing = null
      })
      await this.#writing
    }
  }

  async #writeLimits(): Promise<void> {
    const limits = [...this.#unwritten]
    await writeLimits(this.#pool, limits)
    for (const [lane, limit] of limits) if (this.#unwritten.get(lane) === limit) this.#unwritten.delete(lane)
  }

  async claim(room: number, leaseMs: number): Promise<Claimed> {
    if (!this.#mayWork()) return nothing
    await this.flush()
    const now = this.#clock()
    if (now > this.#checkedAt + checkAgainMs) {
      this.#looked = new PerServer(nothingLooked)
      this.#checkedAt = now
    }
    let looked = nothingLooked()
    await this.#pool.query(release, server => {
      looked = this.#looked.of(server)
      return [now, looked.released]
    })
    looked.released = now - leaseMarginMs
    let { settling } = looked
    const rows = await this.#pool.query(claim, server => {
      looked = this.#looked.of(server)
      settling = looked.settling
      const floors = [...looked.floors]
      return [
        floors.map(([lane]) => lane),
        floors.map(([, { waiting }]) => waiting),
        floors.map(([, { running }]) => running),
        ...[
          this.#after,
          room,
          now,
          now + leaseMs,
          this.#slot(),
          this.#start,
          this.#version(),
          settling.settled,
        ],
      ]
    })
    const [first] = rows
    const claimed = rows.filter(({ id }) => id !== null)
    const settled = settle(looked, settling, first)
    for (const row of claimed) passed(looked.floors, row, settled)
    const runs = claimed.map(row => ({
      ...runOfRow(row),
      data: fromStored(String(row.data ?? '')),
      ...(row.is_fanned === true && row.attempt === 1 && { isPending: true as const }),
      ...(row.is_cancelled === true && { isCancelled: true as const }),
    }))
    this.#after = String(first?.after ?? '')
    if (runs.length >= room || this.#after === '') this.#start = this.#after
    const nextDueAt = runs.length < room ? (first?.next_due_at ?? null) : null
    return { runs, nextDueAt: nextDueAt === null ? null : Number(nextDueAt) }
  }
}

/** Tells a claim where it need not look any more, since earlier ones have. */
type Looked = {
  /** The floors of the lanes that were served last. */
  readonly floors: Map<string, Floors>
  settling: Settling
  /** Leases that had ended by then need no check. */
  released: number
}

/** Places of a lane below which no run waits that is due at once, and none is running. */
type Floors = { readonly waiting: number; readonly running: number }

/**
 * The transactions that have ended: those with places below `settled`, and those with places up to `next` once all below
 * `xid` have, which is null until a claim has told it.
 */
type Settling = { readonly settled: number; readonly next: number; xid: number | null }

/** Places and transactions of another server may count from lower numbers. */
const nothingLooked = (): Looked => ({
  floors: new Map(),
  settling: { settled: 0, next: 0, xid: null },
  released: 0,
})

/**
 * Returns the place below which a claim has seen whatever any transaction stores: `next` was read before `xid`, and all
 * transactions below that have ended. Fan-outs that are not decided have places above.
 *
 * @param before what was known before the claim.
 */
function settle(looked: Looked, before: Settling, row: Row | undefined): number {
  before.xid ??= Number(row?.next_xid)
  if (Number(row?.open_xid) < before.xid) return before.settled
  const settled = row?.pending_place == null ? before.next : Math.min(before.next, Number(row.pending_place))
  if (looked.settling === before) looked.settling = { settled, next: Number(row?.newest_place), xid: null }
  return settled
}

/** Remembers what a claim need not look at any more, from a claimed run. */
function passed(floors: Looked['floors'], row: Row, settled: number): void {
  const lane = String(row.lane)
  const { waiting } = floors.get(lane) ?? { waiting: 0 }
  const isNew = row.attempt === 1 && row.was_due_at === 0
  floors.delete(lane)
  floors.set(lane, {
    waiting: isNew ? Math.min(Number(row.was_place), settled) : waiting,
    running: Math.min(Number(row.first_running ?? settled), settled),
  })
  const [oldest] = floors.keys()
  if (floors.size > mostFloors && oldest !== undefined) floors.delete(oldest)
}

/** Writes limits. No claim that begins later ignores them. */
export async function writeLimits(to: Pick<Connection, 'query'>, limits: LaneLimits): Promise<void> {
  if (limits.length > 0) await to.query(setLimits, columnsOf(limits))
}

const columnsOf = (limits: LaneLimits) => [
  limits.map(([lane]) => toStored(lane)),
  limits.map(([, limit]) => (limit === 'ordered' ? 1 : limit === 'cancelled' ? cancelledAtOnce : limit)),
  limits.map(([, limit]) => limit === 'ordered'),
  limits.map(([, limit]) => limit === 'cancelled'),
]

/** The limit of a lane until its own is known. */
const defaultLimit = 1
const insertLanes = `INSERT INTO lane (lane, most, is_ordered, is_cancelled)
    SELECT * FROM unnest($1::text[], $2::int[], $3::boolean[], $4::boolean[])`
const addLanes = { name: 'add_lanes', text: `${insertLanes} ON CONFLICT DO NOTHING` }
const setLimits = {
  name: 'set_lanes',
  text: `${insertLanes}
    ON CONFLICT (lane) DO UPDATE SET most = excluded.most, is_ordered = excluded.is_ordered, is_cancelled = excluded.is_cancelled
      WHERE (lane.most, lane.is_ordered, lane.is_cancelled) <> (excluded.most, excluded.is_ordered, excluded.is_cancelled)`,
}

/** Makes the runs claimable again whose lease has ended up to $1; those before $2 were looked at. */
const release = {
  name: 'release_runs',
  text: `UPDATE run SET state = ${state.retrying}, due_at = 0 WHERE id IN (
    SELECT id FROM run WHERE state = ${state.running} AND due_at > 0 AND due_at > $2 AND due_at <= $1
    ORDER BY id FOR UPDATE SKIP LOCKED)`,
}

/** Up to `l.room` runs of lane `l`. */
const some = (rank: number, which: string) => `(
          SELECT id, attempt, ${rank} AS rank, due_at, place FROM run WHERE run.lane = l.lane AND ${which}
          ORDER BY due_at, place LIMIT l.room)`

/** When the next run of lane `l` is due that is not due yet. */
const later = (which: string) => `
          (SELECT due_at FROM run WHERE run.lane = l.lane AND ${which} AND due_at > l.due_by ORDER BY due_at LIMIT 1)`

/**
 * Claims up to $5 runs that are due at $6, with leases until $7, for the slot $8, unless the version $10 is fenced off. $1 to
 * $3 are the floors of lanes. $11 is the place below which no fan-out waits: its runs get its place once they become rows.
 *
 * - `nx` has the lanes with waiting runs, one after another in the index, backwards: those after lane $4, to the end and
 *   then on to lane $9. Entries that claimed runs have left behind are at the beginning of a lane.
 * - `looked` has those with room, and locks them, so that two claims do not share it. A lane is left out that another claim
 *   has locked, or has served since this statement began to read. An ordered lane finishes a run before it begins the next.
 * - Neither is read further than `due` needs to have enough runs.
 * - `place` becomes the order in which the runs were claimed, so that those below a floor need not be counted.
 *
 * Each row says after which lane it has ended before it has looked at all, and when the next run is due.
 */
const claim = {
  name: 'claim_runs',
  text: `WITH RECURSIVE floors AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS f(lane, waiting, running)),
  nx(lane, n, is_again) AS (
    SELECT $4::text, 0, $4::text > $9::text WHERE ${isUnfenced('$10::bigint')}
    UNION ALL
    SELECT b.* FROM nx CROSS JOIN LATERAL (
      (SELECT run.lane, n + 1, is_again FROM run
        WHERE state < 2 AND run.lane < nx.lane AND run.lane >= CASE WHEN is_again THEN $9 ELSE '' END
        ORDER BY run.lane DESC LIMIT 1)
      UNION ALL
      (SELECT run.lane, n + 1, true FROM run WHERE state < 2 AND run.lane >= $9 AND NOT is_again
        ORDER BY run.lane DESC LIMIT 1)
      LIMIT 1) AS b
    WHERE n < ${mostLanes}),
  looked AS MATERIALIZED (
    SELECT l.*, coalesce(f.waiting, 0) AS floor, a.first_running, coalesce(m.is_ours, false) AS is_ours FROM nx
      LEFT JOIN LATERAL (SELECT waiting, running FROM floors WHERE floors.lane = nx.lane LIMIT 1) AS f ON true
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS running, min(place) AS first_running FROM run
        WHERE run.lane = nx.lane AND state = 2 AND place >= coalesce(f.running, 0)) AS a
      CROSS JOIN LATERAL (
        SELECT l.lane, l.turn, l.is_cancelled, least($5::int, l.most - a.running) AS room,
          CASE WHEN l.is_cancelled THEN 9e18::bigint ELSE $6::bigint END AS due_by,
          l.is_ordered AND EXISTS (SELECT FROM run WHERE run.lane = l.lane AND state = 1) AS is_blocked
        FROM lane AS l WHERE l.lane = nx.lane AND l.most > a.running LIMIT 1) AS l
      LEFT JOIN LATERAL (
        SELECT true AS is_ours FROM lane WHERE lane.lane = l.lane AND lane.turn = l.turn FOR UPDATE SKIP LOCKED) AS m ON true
    WHERE n > 0),
  due AS MATERIALIZED (
    SELECT d.*, nextval('run_place') AS claimed FROM (
      SELECT l.lane, l.is_cancelled, l.first_running, z.* FROM looked AS l CROSS JOIN LATERAL (
        SELECT * FROM (
          ${some(0, 'state = 1 AND due_at <= l.due_by')}
          UNION ALL
          ${some(1, `state = 0 AND NOT l.is_blocked AND due_at = ${handedBack}`)}
          UNION ALL
          ${some(2, 'state = 0 AND NOT l.is_blocked AND (due_at, place) >= (0, l.floor) AND due_at <= l.due_by')}
        ) AS z ORDER BY rank, due_at, place LIMIT l.room) AS z
      WHERE l.is_ours LIMIT $5) AS d),
  served AS (UPDATE lane SET turn = turn + 1 WHERE lane IN (SELECT lane FROM due)),
  taken AS (
    UPDATE run SET state = 2, attempt = run.attempt + 1, due_at = $7, node = $8, started_at = coalesce(started_at, $6),
      place = due.claimed
    FROM due WHERE run.id = due.id AND run.attempt = due.attempt AND run.state < 2
    RETURNING run.*, due.due_at AS was_due_at, due.place AS was_place, due.is_cancelled, due.first_running),
  ended AS (
    SELECT CASE WHEN (SELECT count(*) FROM due) = $5 THEN (SELECT lane FROM due ORDER BY claimed DESC LIMIT 1)
      ELSE (SELECT lane FROM nx WHERE n = ${mostLanes} AND lane <> $9) END AS after)
  SELECT ended.after, t.*, b.data,
    CASE WHEN after IS NOT NULL OR (SELECT count(*) FROM taken) < (SELECT count(*) FROM due) THEN 0 ELSE (
      SELECT min(CASE WHEN l.is_ours THEN least(${later('state = 1')},${later('state = 0 AND NOT l.is_blocked')}) ELSE $6 + ${lockedMs} END)
      FROM looked AS l WHERE l.room > (SELECT count(*) FROM due WHERE due.lane = l.lane)) END AS next_due_at,
    (SELECT last_value FROM run_place) AS newest_place,
    (SELECT min(place) FROM fan_out WHERE ended_at IS NULL AND place >= $11) AS pending_place,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS open_xid,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next_xid
  FROM ended LEFT JOIN taken AS t ON true LEFT JOIN run_body AS b ON b.id = t.body
  ORDER BY t.lane, t.place`,
}
