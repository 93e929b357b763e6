import { state } from '../rows/run-rows.ts'
import type { Claimed, LaneLimit, LaneLimits } from '../runs.ts'
import type { Connection, Row } from './connect.ts'
import type { Pool } from './pool.ts'
import { handedBack, runOfRow } from './run-reader.ts'
import { fromStored, toStored } from './stored-text.ts'

/** How many runs of a cancelled lane may be claimed at once. */
const cancelledAtOnce = 100
/** Lanes with waiting runs among which one claim chooses; the next claim goes on after them. */
const mostLanes = 64
/** Milliseconds after which no run below a place can still become visible, and between two looks at all of them. */
const settleMs = 60_000
const lookAgainMs = 600_000
/** Lanes whose place is remembered: those that were served last. */
const mostFloors = 256

const nothing: Claimed = { runs: [], nextDueAt: null }

/** Claims runs, and keeps the limits of lanes. */
export class Claims {
  readonly #pool
  readonly #node
  readonly #clock
  readonly #mayWork
  readonly #limits = new Map<string, LaneLimit>()
  readonly #known = new Set<string>()
  /** The last lane that the claim before has looked at; empty to begin with the first. */
  #after = ''
  readonly #unwritten = new Map<string, LaneLimit>()
  #writing: Promise<void> | null = null
  /** The place up to which each lane's runs were claimed, and since when that is so. */
  readonly #floors = new Map<string, Floor>()
  #lookedAt: number

  /**
   * @param node returns the number of this process among those that share the database.
   * @param mayWork whether it may claim.
   */
  constructor(pool: Pool, node: () => number, clock: () => number, mayWork: () => boolean) {
    this.#mayWork = mayWork
    this.#pool = pool
    this.#node = node
    this.#clock = clock
    this.#lookedAt = clock()
  }

  isOrdered(lane: string | null): boolean {
    return lane === null || this.#limits.get(lane) === 'ordered'
  }

  /** Makes a lane exist, so that its runs can be claimed. */
  async know(lanes: Iterable<string>): Promise<void> {
    const unknown = Array.from(lanes).filter(lane => !this.#known.has(lane))
    if (unknown.length === 0) return
    await this.#pool.query('INSERT INTO lane (lane) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
      unknown.map(toStored).sort(),
    ])
    for (const lane of unknown) this.#known.add(lane)
  }

  /** Takes note of limits that were written in another way. */
  note(limits: LaneLimits): void {
    for (const [lane, limit] of limits) {
      this.#limits.set(lane, limit)
      this.#known.add(lane)
    }
  }

  /** Resolves when no claim ignores the limits any more. */
  setLimits(limits: ReadonlyMap<string, LaneLimit>): Promise<void> {
    for (const [lane, limit] of limits) {
      if (this.#limits.get(lane) === limit) continue
      this.#limits.set(lane, limit)
      this.#unwritten.set(lane, limit)
      this.#known.add(lane)
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
    await this.#pool.query(release, [now])
    if (now > this.#lookedAt + lookAgainMs) {
      this.#floors.clear()
      this.#lookedAt = now
    }
    const floors = [...this.#floors].map(([lane, { place }]) => [lane, place] as const)
    const rows = await this.#pool.query(claim, [
      ...[room, now, now + leaseMs, this.#node(), this.#after],
      ...[floors.map(([lane]) => toStored(lane)), floors.map(([, place]) => place)],
    ])
    const [first] = rows
    const seen = Number(first?.lanes ?? 0)
    this.#after = seen === mostLanes ? String(first?.last) : ''
    const claimed = rows.filter(({ id }) => id !== null)
    for (const row of claimed) this.#passed(row, now)
    const runs = claimed.map(row => ({
      ...runOfRow(row),
      data: fromStored(String(row.data ?? '')),
      ...(row.is_fanned === true && row.attempt === 1 && { isPending: true as const }),
      ...(row.is_cancelled === true && { isCancelled: true as const }),
    }))
    if (runs.length >= room || seen === mostLanes)
      return { runs, nextDueAt: seen === mostLanes && runs.length < room ? now : null }
    const [next] = await this.#pool.query(nextDue)
    const dueAt = next?.due_at ?? null
    return { runs, nextDueAt: dueAt === null ? null : Number(dueAt) }
  }

  /** Remembers the place of a claimed run: none below it will be waiting a while from now. */
  #passed(row: Row, now: number): void {
    if (row.attempt !== 1 || row.was_due_at !== 0) return
    const lane = fromStored(String(row.lane))
    const floor = this.#floors.get(lane) ?? { place: 0, next: Number(row.place), since: now }
    if (now >= floor.since + settleMs)
      Object.assign(floor, { place: floor.next, next: Number(row.place), since: now })
    this.#floors.delete(lane)
    this.#floors.set(lane, floor)
    const [oldest] = this.#floors.keys()
    if (this.#floors.size > mostFloors && oldest !== undefined) this.#floors.delete(oldest)
  }
}

type Floor = { place: number; next: number; since: number }

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

const setLimits = {
  name: 'set_lanes',
  text: `INSERT INTO lane (lane, most, is_ordered, is_cancelled)
    SELECT * FROM unnest($1::text[], $2::int[], $3::boolean[], $4::boolean[])
    ON CONFLICT (lane) DO UPDATE SET most = excluded.most, is_ordered = excluded.is_ordered, is_cancelled = excluded.is_cancelled
      WHERE (lane.most, lane.is_ordered, lane.is_cancelled) <> (excluded.most, excluded.is_ordered, excluded.is_cancelled)`,
}

/** Makes the runs whose lease has ended claimable again. */
const release = {
  name: 'release_runs',
  text: `UPDATE run SET state = ${state.retrying}, due_at = 0 WHERE id IN (
    SELECT id FROM run WHERE state = ${state.running} AND due_at > 0 AND due_at <= $1 ORDER BY id FOR UPDATE SKIP LOCKED)`,
}

/** The lanes with waiting runs, one after another in the index. @param after a lane. */
const lanesAfter = (after: string, most: string) => `
  nx(lane, n) AS (
    (SELECT lane, 1 FROM run WHERE state < 2 AND lane > ${after} ORDER BY lane LIMIT 1)
    UNION ALL
    SELECT (SELECT r.lane FROM run AS r WHERE r.state < 2 AND r.lane > nx.lane ORDER BY r.lane LIMIT 1), n + 1
      FROM nx WHERE nx.lane IS NOT NULL AND n < ${most})`

/** The waiting runs of lane `f`. An ordered lane finishes a run before it begins the next. */
const waiting = (rank: number, which: string) => `(
          SELECT id, attempt, ${rank}, due_at, place FROM run
          WHERE run.lane = f.lane AND state = 0 AND ${which}
            AND NOT (f.is_ordered AND EXISTS (SELECT FROM run AS r WHERE r.lane = f.lane AND r.state = 1))
          ORDER BY due_at, place LIMIT f.room)`

/**
 * Claims up to $1 runs that are due at $2, with leases until $3, for node $4. It locks the lanes, so that two claims do not
 * share one's limit, and serves those first whose turn is the longest ago. $6 and $7 are lanes, and places below which
 * none of their runs waits: it does not look at the traces of those. One row says how many lanes it has looked at.
 */
const claim = {
  name: 'claim_runs',
  text: `WITH RECURSIVE ${lanesAfter('$5', String(mostLanes))},
  seen AS MATERIALIZED (SELECT lane FROM nx WHERE lane IS NOT NULL),
  free AS MATERIALIZED (
    SELECT l.lane, l.turn, l.is_ordered, l.is_cancelled, least($1::int, l.most - a.n) AS room,
      CASE WHEN l.is_cancelled THEN 9e18::bigint ELSE $2::bigint END AS due_by,
      coalesce(f.place, 0) AS floor
    FROM seen JOIN lane AS l USING (lane)
      LEFT JOIN unnest($6::text[], $7::bigint[]) AS f(lane, place) USING (lane)
      CROSS JOIN LATERAL (SELECT count(*)::int AS n FROM run WHERE run.lane = l.lane AND state = 2) AS a
    WHERE l.most > a.n FOR UPDATE OF l SKIP LOCKED),
  due AS MATERIALIZED (
    SELECT f.turn, f.lane, f.is_cancelled, z.* FROM free AS f CROSS JOIN LATERAL (
      SELECT * FROM (
        (SELECT id, attempt, 0 AS rank, due_at, place FROM run WHERE run.lane = f.lane AND state = 1 AND due_at <= f.due_by
          ORDER BY due_at, place LIMIT f.room)
        UNION ALL
        ${waiting(1, `due_at = ${handedBack}`)}
        UNION ALL
        ${waiting(2, 'due_at = 0 AND place >= f.floor')}
        UNION ALL
        ${waiting(3, 'due_at > 0 AND due_at <= f.due_by')}
      ) AS d ORDER BY rank, due_at, place LIMIT f.room) AS z
    ORDER BY f.turn, rank, due_at, place LIMIT $1),
  served AS (
    UPDATE lane SET turn = s.turn FROM (
      SELECT lane, (SELECT nextval('lane_turn')) + row_number() OVER (ORDER BY turn) AS turn
      FROM (SELECT DISTINCT lane, turn FROM due) AS d) AS s
    WHERE lane.lane = s.lane),
  taken AS (
    UPDATE run SET state = 2, attempt = run.attempt + 1, due_at = $3, node = $4, started_at = coalesce(started_at, $2)
    FROM due WHERE run.id = due.id AND run.attempt = due.attempt AND run.state < 2
    RETURNING run.*, due.turn, due.rank, due.due_at AS was_due_at, due.is_cancelled)
  SELECT l.lanes, l.last, t.*, b.data
  FROM (SELECT count(*) AS lanes, max(lane) AS last FROM seen) AS l
    LEFT JOIN taken AS t ON true LEFT JOIN run_body AS b ON b.id = t.body
  ORDER BY t.turn, t.rank, t.was_due_at, t.place`,
}

/** Selects when the next run is due that its lane has room for. */
const nextDue = {
  name: 'next_due',
  text: `WITH RECURSIVE ${lanesAfter("''", String(mostLanes))}
  SELECT min(d.due_at) AS due_at FROM nx JOIN lane AS l ON l.lane = nx.lane CROSS JOIN LATERAL (
    SELECT least(
      (SELECT due_at FROM run WHERE run.lane = l.lane AND state = 1 ORDER BY due_at LIMIT 1),
      (SELECT due_at FROM run WHERE run.lane = l.lane AND state = 0
        AND NOT (l.is_ordered AND EXISTS (SELECT FROM run AS r WHERE r.lane = l.lane AND r.state = 1))
        ORDER BY due_at LIMIT 1)) AS due_at) AS d
  WHERE l.most > (SELECT count(*) FROM run WHERE run.lane = l.lane AND state = 2)`,
}
