import type { Connection, Row } from './connect.ts'
import { nthInSql, nthOf } from './ids.ts'
import type { Pool } from './pool.ts'
import { unusedListMs } from './run-lists.ts'

/** Lists whose fan-outs are counted or deleted one after another. */
type List = { readonly id: number; readonly workflows: readonly string[] }

type CountOf = { readonly runs: number; readonly beyond: number | null }

/** Does one step of a deletion in a transaction. Returns null while another node does it. */
type Step = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result | null>

/** Deletes the ended runs of fan-outs (migrations/007.ts) that are beyond their bounds. */
export class FanOutHousekeeping {
  readonly #pool
  readonly #stepRows
  /** Up to where the fan-outs of each list are known. */
  #marks = new Map<number, number>()
  #lists: readonly List[] = []

  /** @param stepRows how many fan-outs one step looks at. */
  constructor(pool: Pool, stepRows: number) {
    this.#pool = pool
    this.#stepRows = stepRows
  }

  /** Makes all be counted. */
  forget(): void {
    this.#marks.clear()
  }

  /** Returns how many runs each workflow may have got since the last time; all there are at the first. */
  async grown(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#pool.query(endedSince, [[...this.#marks.keys()], [...this.#marks.values()]])
    const grown = new Map<string, number>()
    this.#lists = rows.map(({ id, workflows }) => ({
      id: Number(id),
      workflows: Array.isArray(workflows) ? workflows.map(String) : [],
    }))
    for (const [index, { id, workflows }] of this.#lists.entries()) {
      const { runs, newest } = rows[index] ?? {}
      this.#marks.set(id, Math.max(Number(newest), this.#marks.get(id) ?? 0))
      for (const workflow of workflows) grown.set(workflow, (grown.get(workflow) ?? 0) + Number(runs))
    }
    return grown
  }

  /**
   * Returns how many runs workflows have, at most one more than `most`, and the newest beyond these; a list at a time, since
   * its workflows have equally many. Those are left out that have others, too: in `run`, or of another list.
   */
  async counted(workflows: readonly string[], most: number): Promise<ReadonlyMap<string, CountOf>> {
    const lists = new Map<string, List | null>()
    for (const list of this.#lists)
      for (const one of list.workflows) lists.set(one, lists.has(one) ? null : list)
    const alone = workflows.filter(one => lists.get(one))
    const others = new Set((await this.#pool.query(withRows, [alone])).map(({ workflow }) => workflow))
    const counts = new Map<string, CountOf>()
    const ofLists = new Map<number, Row | undefined>()
    for (const one of alone) {
      const list = lists.get(one)
      if (others.has(one) || !list) continue
      if (!ofLists.has(list.id))
        ofLists.set(list.id, (await this.#pool.query(countOfList, [list.id, most]))[0])
      const { runs, beyond = null, gone } = ofLists.get(list.id) ?? {}
      const index = list.workflows.indexOf(one)
      if (Array.isArray(gone) && gone.includes(index)) continue
      counts.set(one, { runs: Number(runs), beyond: beyond === null ? null : nthOf(Number(beyond), index) })
    }
    return counts
  }

  /**
   * Deletes the runs of workflows up to an id.
   *
   * @param beyond the id for each workflow.
   * @returns whether it was possible.
   */
  async deleteUpTo(beyond: ReadonlyMap<string, number>, step: Step): Promise<boolean> {
    for (const { id, workflows } of this.#lists) {
      const wanted = workflows.flatMap((workflow, index) => {
        const upTo = beyond.get(workflow)
        return upTo === undefined ? [] : [[index, upTo] as const]
      })
      if (wanted.length === 0) continue
      const [indexes, upTo] = [wanted.map(([index]) => index), wanted.map(([, one]) => one)]
      for (let after: number | null = -1; after !== null; ) {
        const values: unknown[] = [id, after, Math.max(...upTo), this.#stepRows, indexes, upTo]
        const rows: Row[] | null = await step(connection => connection.query(deleteUpTo, values))
        if (rows === null) return false
        after = lastOf(rows)
      }
    }
    return true
  }

  /** Deletes what ended before a time, and lists without runs. Returns whether it was possible. */
  async deleteBefore(time: number, now: number, step: Step): Promise<boolean> {
    for (const { id } of this.#lists)
      for (let deleted = this.#stepRows; deleted === this.#stepRows; ) {
        const values = [id, time, this.#stepRows]
        const rows = await step(connection => connection.query(deleteBefore, values))
        if (rows === null) return false
        deleted = rows.length
      }
    await step(connection => connection.query(deleteLists, [now - unusedListMs]))
    return true
  }
}

const lastOf = (rows: readonly Row[]) => (rows[0]?.last == null ? null : Number(rows[0].last))

/** How many fan-outs of each list have ended whose ids are above its mark, and the last of them. $1 lists, $2 marks. */
const endedSince = `
  SELECT l.id, l.workflows, n.* FROM run_list AS l
    LEFT JOIN unnest($1::int[], $2::bigint[]) AS m(list, mark) ON m.list = l.id
    CROSS JOIN LATERAL (
      SELECT count(*) AS runs, max(id) AS newest FROM fan_out
      WHERE list = l.id AND ended_at IS NOT NULL AND id > coalesce(m.mark, 0)) AS n`

/** Those of the workflows $1 of which runs are rows that have ended. */
const withRows = `
  SELECT workflow FROM unnest($1::text[]) AS w(workflow)
  WHERE EXISTS (SELECT FROM run WHERE run.workflow = w.workflow AND state IN (3, 4, 5))`

/** How many fan-outs of list $1 have ended, at most one more than $2, the newest beyond these, and all indexes that are gone. */
const countOfList = `
  SELECT count(*) AS runs, CASE WHEN count(*) > $2 THEN min(id) END AS beyond,
    ARRAY(SELECT DISTINCT unnest(gone) FROM fan_out WHERE list = $1 AND ended_at IS NOT NULL) AS gone
  FROM (SELECT id FROM fan_out WHERE list = $1 AND ended_at IS NOT NULL ORDER BY id DESC LIMIT $2::bigint + 1) AS f`

/**
 * Looks at $4 fan-outs of list $1 above $2, up to $3, and deletes their runs whose indexes are in $5 and whose ids are up to
 * those in $6. Returns the last of them.
 */
const deleteUpTo = `
  WITH old AS MATERIALIZED (
    SELECT id, runs, gone FROM fan_out WHERE list = $1 AND ended_at IS NOT NULL AND id > $2 AND id <= $3
    ORDER BY id LIMIT $4 FOR UPDATE),
  going AS MATERIALIZED (
    SELECT id, runs, gone || ARRAY(SELECT u.nth FROM unnest($5::int[], $6::bigint[]) AS u(nth, upto)
      WHERE ${nthInSql('old.id', 'u.nth')} <= u.upto AND NOT u.nth = ANY (old.gone)) AS gone, cardinality(gone) AS before
    FROM old),
  d AS (DELETE FROM fan_out USING going WHERE fan_out.id = going.id AND cardinality(going.gone) = going.runs),
  u AS (UPDATE fan_out SET gone = going.gone FROM going
    WHERE fan_out.id = going.id AND cardinality(going.gone) < going.runs AND cardinality(going.gone) > before)
  SELECT max(id) AS last FROM old`

/** Deletes those of the oldest $3 fan-outs of list $1 that ended before $2. */
const deleteBefore = `
  DELETE FROM fan_out WHERE id IN (
    SELECT id FROM fan_out WHERE list = $1 AND ended_at IS NOT NULL ORDER BY id LIMIT $3) AND ended_at < $2 RETURNING id`

/** Deletes the lists that were not used since $1 and have no runs. */
const deleteLists = `
  DELETE FROM run_list AS l WHERE used_at < $1
    AND NOT EXISTS (SELECT FROM fan_out WHERE list = l.id AND ended_at IS NOT NULL)
    AND id NOT IN (SELECT list FROM fan_out WHERE ended_at IS NULL)`
