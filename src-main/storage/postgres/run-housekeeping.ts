import { hourMs } from '#shared/durations.ts'
import type { RunBounds } from '../runs.ts'
import type { Connection, Row } from './connect.ts'
import { FanOutHousekeeping } from './fan-out-housekeeping.ts'
import { nthInSql } from './ids.ts'
import type { Pool } from './pool.ts'
import { RowQuotas } from './row-quotas.ts'
import { allWorkflows } from './run-pages.ts'
import { deleteRuns } from './run-writes.ts'

/** Milliseconds between two checks of what has grown, and between two checks of all there is. */
const checkEvery = 30_000
const checkAllEvery = hourMs
/** A check is followed by a rest of at least so many times as long. */
const restAfterCheck = 20
/** Runs, keys or lanes that one step deletes, and workflows or scopes whose rows are counted at once. */
const stepRows = 1024
const countedAtOnce = 64

/**
 * Deletes ended runs and keys that are beyond their bounds, the oldest first. One node does it at a time. It counts those
 * of a workflow or scope only if enough have come since. Each hour it looks at all: at their ages, at runs that ended after
 * later ones, and at the lanes of workflows that are gone.
 */
export class RunHousekeeping {
  readonly #pool
  readonly #bounds
  readonly #clock
  readonly #timer: NodeJS.Timeout
  readonly #fanOuts: FanOutHousekeeping
  readonly #workflows: RowQuotas
  readonly #scopes: RowQuotas
  #checkedAllAt = Number.NEGATIVE_INFINITY
  /** Lanes that were dead an hour ago. A run of a workflow that another node believed to exist has arrived by now. */
  #deadLanes: unknown[] = []
  /** Keys that were ever stored, as far as the server knows. */
  #keys = 0
  #working: Promise<void> | null = null
  #isClosed = false

  constructor(
    pool: Pool,
    bounds: RunBounds & { readonly mostKeys: number },
    clock: () => number,
    onError: (error: unknown) => void,
  ) {
    this.#pool = pool
    this.#bounds = bounds
    this.#clock = clock
    this.#fanOuts = new FanOutHousekeeping(pool, stepRows)
    this.#workflows = new RowQuotas(bounds.mostPerWorkflow)
    this.#scopes = new RowQuotas(bounds.mostKeys)
    let restUntil = 0
    this.#timer = setInterval(() => {
      const begun = performance.now()
      if (begun < restUntil) return
      this.#working ??= this.tidy()
        .catch(onError)
        .finally(() => {
          const ended = performance.now()
          restUntil = ended + restAfterCheck * (ended - begun)
          this.#working = null
        })
    }, checkEvery).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#working
  }

  /** Deletes what is far enough beyond a bound, or all that is beyond one if the last time is an hour ago. */
  async tidy(): Promise<void> {
    const now = this.#clock()
    const isForAll = Math.abs(now - this.#checkedAllAt) >= checkAllEvery
    if (isForAll) for (const known of [this.#workflows, this.#scopes, this.#fanOuts]) known.forget()
    await this.#tidyRuns(now, isForAll)
    await this.#tidyKeys(now)
    if (!isForAll || this.#isClosed) return
    await this.#pool.query(removeLanes, [this.#deadLanes])
    this.#deadLanes = (await this.#pool.query(deadLanes, [stepRows])).map(({ lane }) => lane)
    this.#checkedAllAt = now
  }

  async #tidyRuns(now: number, isForAll: boolean): Promise<void> {
    const { mostPerWorkflow, maxAgeMs } = this.#bounds
    const { groups, marks } = this.#workflows.marks()
    const rows = await this.#pool.query(endedSince, [groups, marks])
    const together = await this.#fanOuts.grown()
    const ofRows = new Map(rows.map(row => [String(row.workflow), row]))
    const full = this.#workflows.grown(
      Array.from(new Set([...ofRows.keys(), ...together.keys()]), group => {
        const { runs = 0, newest = null } = ofRows.get(group) ?? {}
        const more = Number(runs) + (together.get(group) ?? 0)
        return { group, more, mark: newest === null ? null : Number(newest) }
      }),
    )
    const before = now - maxAgeMs
    const step = <Result>(work: (connection: Connection) => Promise<Result>) => this.#step(work)
    const ofLists = await this.#fanOuts.counted(full, mostPerWorkflow)
    const others = full.filter(workflow => !ofLists.has(workflow))
    const counted = await this.#count(newestEnded, others, [mostPerWorkflow, before, stepRows])
    const beyondOf = new Map<string, number>()
    for (const { workflow, beyond } of [
      ...Array.from(ofLists, ([workflow, count]) => ({ workflow, ...count })),
      ...counted,
    ])
      if (beyond !== null) beyondOf.set(String(workflow), Number(beyond))
    if (beyondOf.size > 0 && !(await this.#fanOuts.deleteUpTo(beyondOf, step))) return
    if (isForAll && !(await this.#fanOuts.deleteBefore(before, now, step))) return
    for (const [workflow, { runs }] of ofLists) this.#workflows.counted(workflow, runs)
    for (const { workflow, runs, newest, beyond, has_old: hasOld } of counted) {
      if (beyond !== null || hasOld === true) {
        const values = [workflow, beyond ?? -1, before, stepRows]
        if (!(await this.#deleteAll(() => this.#deleteSome(oldRuns, values, deleteRuns)))) return
      }
      this.#workflows.counted(String(workflow), Number(runs), Number(newest))
    }
  }

  async #tidyKeys(now: number): Promise<void> {
    const { mostKeys } = this.#bounds
    if (!(await this.#deleteAll(() => this.#deleteSome(expiredKeys, [now, stepRows], deleteKeys)))) return
    const [stored] = await this.#pool.query(keysStored)
    const more = Number(stored?.keys) - this.#keys
    this.#keys = Number(stored?.keys)
    // The server has started its count again.
    if (more < 0) this.#scopes.forget()
    const scopes = await this.#pool.query(allScopes)
    const full = this.#scopes.grown(scopes.map(row => ({ group: String(row.scope), more })))
    for (const { scope, keys } of await this.#count(keysOf, full, [])) {
      let left = Number(keys) - mostKeys
      const deleteSome = async () => {
        const deleted = await this.#deleteSome(firstKeys, [scope, Math.min(left, stepRows)], deleteKeys)
        left -= deleted ?? 0
        return deleted
      }
      if (left > 0 && !(await this.#deleteAll(deleteSome))) return
      this.#scopes.counted(String(scope), Number(keys))
    }
  }

  /** Runs a statement for some groups after others. @param values follow the groups. */
  async #count(statement: string, groups: readonly string[], values: readonly unknown[]): Promise<Row[]> {
    const counted: Row[] = []
    for (let at = 0; at < groups.length && !this.#isClosed; at += countedAtOnce)
      counted.push(...(await this.#pool.query(statement, [groups.slice(at, at + countedAtOnce), ...values])))
    return counted
  }

  /** Takes steps until one deletes less than it may. Returns false if that was not possible. */
  async #deleteAll(step: () => Promise<number | null>): Promise<boolean> {
    while (!this.#isClosed) {
      const deleted = await step()
      if (deleted !== stepRows) return deleted !== null
    }
    return false
  }

  /** Deletes what a statement finds. Returns how many; null while another node does it. */
  #deleteSome(find: string, values: unknown[], remove: typeof deleteRuns): Promise<number | null> {
    return this.#step(async connection => {
      const found = (await connection.query(find, values)).map(({ id }) => id)
      if (found.length > 0) await remove(connection, found)
      return found.length
    })
  }

  /** Does something in a transaction. Returns null while another node does such a thing, and when this is closed. */
  async #step<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result | null> {
    if (this.#isClosed) return null
    return this.#pool.repeatable(async connection => {
      const [lock] = await connection.query('SELECT pg_try_advisory_xact_lock(7236302) AS is_mine')
      return lock?.is_mine === true ? work(connection) : null
    })
  }
}

const deleteKeys: typeof deleteRuns = async (connection, digests) => {
  await connection.query('DELETE FROM kept_key WHERE digest = ANY ($1::text[])', [digests])
}

/** Selects `columns` of the ended runs of a workflow that match, by the index of each state. */
const ended = (workflow: string, columns: string, which: string) => `
  unnest('{3,4,5}'::int[]) AS s(state) CROSS JOIN LATERAL (
    SELECT ${columns} FROM run WHERE run.workflow = ${workflow} AND run.state = s.state ${which}) AS r`

/** How many runs of each workflow have ended whose ids are above its mark, and the last of them. $1 workflows, $2 marks. */
const endedSince = `
  SELECT w.workflow, n.* FROM (${allWorkflows}) AS w
    LEFT JOIN unnest($1::text[], $2::bigint[]) AS m(workflow, mark) USING (workflow)
    CROSS JOIN LATERAL (
      SELECT count(*) AS runs, max(r.id) AS newest FROM ${ended('w.workflow', 'id', 'AND run.id > m.mark')}) AS n`

/** The ids of the newest runs of a workflow that have ended in fan-outs, up to $2 and one more of each list. */
const together = (workflow: string) => `
  SELECT ${nthInSql('f.id', 'f.nth')} AS id FROM run_list AS l CROSS JOIN LATERAL (
    SELECT id, array_position(l.workflows, ${workflow}) - 1 AS nth FROM fan_out WHERE list = l.id AND ended_at IS NOT NULL
      AND NOT array_position(l.workflows, ${workflow}) - 1 = ANY (gone)
    ORDER BY id DESC LIMIT $2::bigint + 1) AS f
  WHERE l.workflows @> ARRAY[${workflow}]`

/**
 * How many ended runs each of the workflows $1 has, at most one more than $2; the newest that is a row; the newest beyond the
 * newest $2; and whether one of the oldest $4 rows has ended before $3.
 */
const newestEnded = `
  SELECT w.workflow, n.*, EXISTS (
      SELECT FROM ${ended('w.workflow', 'ended_at', 'ORDER BY id LIMIT $4')} WHERE r.ended_at < $3) AS has_old
  FROM unnest($1::text[]) AS w(workflow) CROSS JOIN LATERAL (
    SELECT count(*) AS runs, coalesce(max(id) FILTER (WHERE is_row), 0) AS newest, CASE WHEN count(*) > $2 THEN min(id) END AS beyond
    FROM (
      SELECT * FROM (
        (SELECT r.id, true AS is_row FROM ${ended('w.workflow', 'id', 'ORDER BY id DESC LIMIT $2::bigint + 1')}
          ORDER BY r.id DESC LIMIT $2::bigint + 1)
        UNION ALL
        SELECT t.id, false FROM (${together('w.workflow')}) AS t) AS o
      ORDER BY id DESC LIMIT $2::bigint + 1) AS o) AS n`

/** The oldest runs of workflow $1 that have ended, up to $2, or that ended before $3. */
const oldRuns = `
  SELECT r.id FROM ${ended('$1', 'id, ended_at', 'ORDER BY id LIMIT $4')} WHERE r.id <= $2 OR r.ended_at < $3
  ORDER BY r.id LIMIT $4`
/** Whether the workflow of a lane is gone, and all its runs have ended. */
const isDead = `is_cancelled AND NOT EXISTS (SELECT FROM run WHERE run.lane = lane.lane AND state < 2)
    AND NOT EXISTS (SELECT FROM run WHERE run.lane = lane.lane AND state = 2)`
const deadLanes = `SELECT lane FROM lane WHERE ${isDead} LIMIT $1`
/** It waits for nobody who has locked a lane, since it locks several. */
const removeLanes = `DELETE FROM lane WHERE lane IN (
    SELECT lane FROM lane WHERE lane = ANY ($1::text[]) AND ${isDead} FOR UPDATE SKIP LOCKED)`
const expiredKeys = 'SELECT digest AS id FROM kept_key WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2'
/** Those stored in vain, because they were there, count too. */
const keysStored = `SELECT n_tup_ins AS keys FROM pg_stat_all_tables WHERE relid = 'kept_key'::regclass`
const allScopes = `
  WITH RECURSIVE one(scope) AS (
    (SELECT scope FROM kept_key ORDER BY scope LIMIT 1)
    UNION ALL
    SELECT (SELECT k.scope FROM kept_key AS k WHERE k.scope > one.scope ORDER BY k.scope LIMIT 1) FROM one
      WHERE one.scope IS NOT NULL)
  SELECT scope FROM one WHERE scope IS NOT NULL`
const keysOf = `SELECT w.scope, (SELECT count(*) FROM kept_key WHERE kept_key.scope = w.scope) AS keys
  FROM unnest($1::text[]) AS w(scope)`
const firstKeys = 'SELECT digest AS id FROM kept_key WHERE scope = $1 ORDER BY expires_at LIMIT $2'
