import { endRowOf, runIdOf, state } from '../rows/run-rows.ts'
import type { ClaimedRun, Decide, EndedRun, Run } from '../runs.ts'
import type { Claims } from './claims.ts'
import type { Connection, Row } from './connect.ts'
import { isUnfenced } from './fence.ts'
import { nthInSql, nthOf } from './ids.ts'
import type { Pool } from './pool.ts'
import { queryOn } from './repeats.ts'
import type { ListOfRuns, RunLists } from './run-lists.ts'
import { runOfRow } from './run-row.ts'
import { fromStored, toStored } from './stored-text.ts'
import { Texts } from './texts.ts'
import { fanOutOf, hasOnlyDecided, stepsOfAll } from './together.ts'

/** Milliseconds between two looks for fan-outs of other nodes, which usually decide their own. */
const lookEveryMs = 1000
/** Fan-outs among which one claim chooses, and the runs that are decided before it, if there are so many. */
const mostLooked = 64
const fewest = 64
/** UTF-16 units of the steps of a fan-out. Its other runs are carried out, so that each has its own. */
const mostSteps = 1024 * 1024

const nothing = { looked: 0, left: 0, ended: [] }

type Parts = {
  readonly pool: Pool
  readonly slot: () => number
  readonly clock: () => number
  readonly claims: Claims
  readonly lists: RunLists
  /** Returns the version of the configuration by which this process decides now. */
  readonly version: () => number
}

type Decided = {
  readonly id: number
  readonly attempt: number
  readonly at: number
  readonly discard: boolean
  /** The indexes of the runs that are to be carried out, and those that are in `run` or deleted already. */
  readonly open: readonly number[]
  readonly gone: readonly number[]
  readonly size: number
  readonly steps: string
  /** By index. */
  readonly runs: readonly Run[]
}

/**
 * Decides the runs of fan-outs (migrations/007.ts), a fan-out at a time. Those that only decide are stored as they have ended;
 * the others become rows of `run`, in the places that they have since their event.
 */
export class FanOuts {
  readonly #parts
  #mayHaveMore = true
  #lookAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Call it when this node has stored some. */
  stored(): void {
    this.#mayHaveMore = true
  }

  /** Whether another `settle` may find more at once. */
  get mayHaveMore(): boolean {
    return this.#mayHaveMore
  }

  /**
   * Decides fan-outs of about `room` runs, if there are so many. Returns how many, how many of them have only decided, and the
   * runs that this has ended.
   */
  async settle(
    room: number,
    leaseMs: number,
    decide: Decide,
  ): Promise<{ readonly looked: number; readonly left: number; readonly ended: readonly Run[] }> {
    const { pool, slot, clock, version } = this.#parts
    const now = clock()
    if (!this.#mayHaveMore && now < this.#lookAt) return nothing
    const wanted = Math.max(room, fewest)
    this.#mayHaveMore = false
    this.#lookAt = now + lookEveryMs
    const decidedBy = version()
    const { rows, lists } = await pool.use(connection =>
      this.#claim(connection, wanted, now, leaseMs, decidedBy),
    )
    if (rows.length === 0) return nothing
    const decided: Decided[] = []
    for (const row of rows) {
      const list = lists.get(Number(row.list))
      if (list !== undefined) decided.push(await this.#decide(row, list, now, leaseMs, decide))
    }
    if (decided.reduce((sum, { size }) => sum + size, 0) >= wanted) this.#mayHaveMore = true
    const written = await pool.query(write, valuesOf(decided, slot(), decidedBy))
    const isOver = ({ open, gone, size }: Decided) => open.length === 0 && gone.length < size
    const left = decided.filter(isOver).length
    return { looked: decided.length, left, ended: endedOf(decided, written) }
  }

  async #claim(connection: Connection, room: number, now: number, leaseMs: number, version: number) {
    const { claims, lists, slot } = this.#parts
    const first = claims.settled(connection.server)
    const values = [first, now, now + leaseMs, slot(), room, version]
    const rows = await queryOn(connection, claim, values)
    return {
      rows,
      lists: await lists.read(
        connection,
        rows.map(({ list }) => Number(list)),
      ),
    }
  }

  async #decide(row: Row, list: ListOfRuns, now: number, leaseMs: number, decide: Decide): Promise<Decided> {
    // Otherwise nodes that take longer than a lease could take fan-outs from each other forever.
    const hasTime = () => this.#parts.clock() < now + leaseMs / 2
    const [id, attempt] = [Number(row.id), Number(row.attempt)]
    const gone = numbersOf(row.gone)
    const isGone = new Set(gone)
    const shared = sharedOf(row, list, now)
    const runs: Run[] = []
    const open: number[] = []
    let discards: boolean | null = null
    const steps: (string | null)[] = []
    const texts = new Set<string>()
    let length = 0
    for (const [index, workflowId] of list.workflows.entries()) {
      steps.push(null)
      const run = { ...shared, runId: runIdOf(nthOf(id, index)), workflowId, lane: workflowId }
      runs.push(run)
      if (isGone.has(index)) continue
      const ended = hasTime() && this.#parts.claims.mayDecide(workflowId) ? await decide(run) : null
      if (
        ended === null ||
        !hasOnlyDecided(ended, now) ||
        ended.unseal === true ||
        (discards ?? ended.discard) !== ended.discard
      ) {
        open.push(index)
        continue
      }
      const text = endRowOf(ended, now).steps
      if (!texts.has(text)) length += text.length
      if (length > mostSteps) {
        open.push(index)
        continue
      }
      texts.add(text)
      discards = ended.discard
      steps[index] = text
    }
    return {
      id,
      attempt,
      at: now,
      discard: discards ?? false,
      open,
      gone,
      size: steps.length,
      steps: stepsOfAll(steps),
      runs,
    }
  }
}

/** Returns the runs that have ended. @param written rows with the `id` of a fan-out, and the indexes that are `gone` from it. */
function endedOf(decided: readonly Decided[], written: readonly Row[]): Run[] {
  const goneOf = new Map(written.map(({ id, gone }) => [Number(id), new Set(numbersOf(gone))]))
  return decided.flatMap(({ id, runs }) => {
    const gone = goneOf.get(id)
    return gone === undefined ? [] : runs.filter((_, index) => !gone.has(index))
  })
}

/** Returns what the runs of a fan-out share while it is decided. */
function sharedOf(row: Row, { workspaceId }: ListOfRuns, now: number): ClaimedRun {
  const { id, connection, event, due_at, queued_at, summary } = row
  const columns = {
    ...{ id, connection, event, due_at, queued_at, summary },
    workspace: toStored(workspaceId),
  }
  const claimed = {
    workflow: '',
    lane: '',
    state: state.running,
    attempt: 1,
    started_at: now,
    ended_at: null,
    error: null,
  }
  return {
    ...runOfRow({ ...columns, ...claimed }),
    data: fromStored(String(row.data ?? '')),
    isPending: true,
  }
}

const numbersOf = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : [])

function valuesOf(decided: readonly Decided[], slot: number, version: number): unknown[] {
  const texts = new Texts()
  const steps = decided.map(one => texts.add(one.steps))
  return [
    ...[texts.bytes(), slot, version],
    ...[decided.map(({ id }) => id), decided.map(({ attempt }) => attempt), decided.map(({ at }) => at)],
    ...[decided.map(({ discard }) => discard), decided.map(({ open }) => JSON.stringify(open))],
    ...[steps.map(([at]) => at), steps.map(([, length]) => length)],
  ]
}

/**
 * Claims fan-outs in places from $1 on that are due at $2, the oldest first, until they have $5 runs, with leases until $3,
 * for the slot $4, unless the version $6 is fenced off.
 */
const claim = {
  name: 'claim_fan_outs',
  text: `WITH looked AS (
    SELECT id, sum(runs) OVER (ORDER BY place) - runs AS before FROM (
      SELECT id, runs, place FROM fan_out WHERE ended_at IS NULL AND place >= $1 AND due_at <= $2 ORDER BY place LIMIT ${mostLooked}) AS o),
  mine AS MATERIALIZED (
    SELECT id FROM fan_out WHERE id IN (SELECT id FROM looked WHERE before < $5::int) AND ended_at IS NULL AND due_at <= $2
      AND ${isUnfenced('$6::bigint')} FOR UPDATE SKIP LOCKED)
  UPDATE fan_out AS f SET due_at = $3, node = $4, attempt = f.attempt + 1 FROM mine WHERE f.id = mine.id
  RETURNING f.id, f.list, f.event, f.queued_at, f.connection, f.due_at, f.attempt, f.gone, f.summary, f.data`,
}

/** Ends a run that waits in a fan-out. Returns how often it was claimed; null if it does not wait there. */
export async function cancelPending(
  connection: Connection,
  id: number,
  { endedAt, discard }: Pick<EndedRun, 'endedAt' | 'discard'>,
): Promise<number | null> {
  const rows = await connection.query(cancel, [id, endedAt, discard])
  return rows.length === 0 ? null : 0
}

/** Cancels run $1 of a fan-out that is not decided, at $2; $3 says whether its data are discarded. */
const cancel = {
  name: 'cancel_pending_run',
  text: `WITH found AS (${fanOutOf('id')}),
  f AS MATERIALIZED (
    SELECT fan_out.*, found.nth FROM fan_out JOIN found USING (id)
    WHERE ended_at IS NULL AND NOT found.nth = ANY (gone) FOR UPDATE OF fan_out),
  b AS (INSERT INTO run_body (id, runs, data) SELECT id, runs, data FROM f WHERE NOT $3::boolean
    ON CONFLICT (id) DO UPDATE SET data = excluded.data, runs = excluded.runs),
  u AS (UPDATE fan_out SET gone = fan_out.gone || f.nth FROM f WHERE fan_out.id = f.id AND cardinality(f.gone) + 1 < f.runs),
  d AS (DELETE FROM fan_out USING f WHERE fan_out.id = f.id AND cardinality(f.gone) + 1 = f.runs)
  INSERT INTO run (id, place, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, ended_at, body,
      is_fanned, summary)
    SELECT $1, f.place, l.workflows[f.nth + 1], l.workspace, f.connection, f.event, l.workflows[f.nth + 1], ${state.cancelled}, 0, 0,
      f.queued_at, $2, CASE WHEN NOT $3::boolean THEN f.id END, true, f.summary
    FROM f JOIN run_list AS l ON l.id = f.list RETURNING id`,
}

/** The lane of a workflow that is gone may be too. */
const haveLanes = `INSERT INTO lane (lane, is_cancelled) SELECT DISTINCT workflow, true FROM open
    WHERE NOT EXISTS (SELECT FROM lane WHERE lane.lane = open.workflow) ON CONFLICT DO NOTHING`

/**
 * Stores what was decided, for the slot $2. Runs that were cancelled or deleted meanwhile stay so. What was decided by a
 * version that is fenced off is decided again. Returns the fan-outs that have ended, with what is gone from them.
 */
const write = {
  name: 'write_fan_outs',
  text: `WITH u AS MATERIALIZED (
    SELECT *, ${isUnfenced('$3::bigint')} AS is_unfenced
    FROM unnest($4::bigint[], $5::int[], $6::bigint[], $7::boolean[], $8::text[], $9::bigint[], $10::bigint[])
      AS v(id, attempt, at, discards, open, s, sl)),
  held AS MATERIALIZED (
    SELECT f.id, f.place, f.list, f.runs, f.event, f.queued_at, f.connection, f.gone, f.summary, f.data, u.at, u.discards, u.open,
      u.s, u.sl, u.is_unfenced
    FROM fan_out AS f JOIN u ON u.id = f.id WHERE f.ended_at IS NULL AND f.attempt = u.attempt AND f.node = $2::int FOR UPDATE OF f),
  open AS MATERIALIZED (
    SELECT held.*, o.nth::int AS nth, l.workspace, l.workflows[o.nth::int + 1] AS workflow
    FROM held JOIN run_list AS l ON l.id = held.list
      CROSS JOIN LATERAL jsonb_array_elements_text(held.open::jsonb) AS o(nth)
    WHERE is_unfenced AND NOT o.nth::int = ANY (held.gone)),
  left_in AS MATERIALIZED (
    SELECT held.*, gone || ARRAY(SELECT nth FROM open WHERE open.id = held.id) AS all_gone FROM held WHERE is_unfenced),
  again AS (UPDATE fan_out SET due_at = 0 FROM held WHERE fan_out.id = held.id AND NOT is_unfenced),
  lanes AS (${haveLanes}),
  r AS (INSERT INTO run (id, place, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, body,
      is_fanned, summary)
    SELECT ${nthInSql('id', 'nth')}, place, workflow, workspace, connection, event, workflow, ${state.waiting}, 0, 0, queued_at, id,
      true, summary FROM open),
  b AS (INSERT INTO run_body (id, runs, data) SELECT id, runs, data FROM held WHERE id IN (SELECT id FROM open)
    ON CONFLICT (id) DO UPDATE SET data = excluded.data, runs = excluded.runs),
  d AS (DELETE FROM fan_out USING left_in WHERE fan_out.id = left_in.id AND cardinality(all_gone) = fan_out.runs)
  UPDATE fan_out SET started_at = left_in.at, ended_at = left_in.at, attempt = 1, node = NULL, due_at = 0, gone = all_gone,
    steps = convert_from(substr($1::bytea, s::int, sl::int), 'UTF8'), data = CASE WHEN discards THEN NULL ELSE fan_out.data END
  FROM left_in WHERE fan_out.id = left_in.id AND cardinality(all_gone) < fan_out.runs
  RETURNING fan_out.id, fan_out.gone`,
}
