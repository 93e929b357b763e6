import type { RunBounds } from '../runs.ts'
import type { Pool } from './pool.ts'
import { deleteRuns } from './run-writes.ts'

/** Milliseconds between two looks at what is kept. */
const lookEvery = 30_000
/** Runs or keys that one step deletes. */
const stepRows = 1024

/** Deletes ended runs and keys that are beyond their bounds, the oldest first. One node does it at a time. */
export class RunHousekeeping {
  readonly #pool
  readonly #bounds
  readonly #clock
  readonly #timer: NodeJS.Timeout
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
    this.#timer = setInterval(() => {
      this.#working ??= this.tidy()
        .catch(onError)
        .finally(() => {
          this.#working = null
        })
    }, lookEvery).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#working
  }

  /** Deletes all that is beyond a bound. */
  async tidy(): Promise<void> {
    const { mostPerWorkflow, maxAgeMs, mostKeys } = this.#bounds
    const now = this.#clock()
    const values = [mostPerWorkflow, now - maxAgeMs, stepRows]
    while (!this.#isClosed && (await this.#step(oldRuns, values, deleteRuns)) === stepRows) {}
    for (const [find, by] of [
      [expiredKeys, now],
      [surplusKeys, mostKeys],
    ] as const)
      while (!this.#isClosed && (await this.#step(find, [by, stepRows], deleteKeys)) === stepRows) {}
  }

  /** Deletes what a statement finds. Returns how many; 0 while another node does it. */
  #step(find: string, values: unknown[], remove: typeof deleteRuns): Promise<number> {
    return this.#pool.transaction(async connection => {
      const [lock] = await connection.query('SELECT pg_try_advisory_xact_lock(7236302) AS is_mine')
      if (lock?.is_mine !== true) return 0
      const found = (await connection.query(find, values)).map(({ id }) => id)
      await remove(connection, found)
      return found.length
    })
  }
}

const deleteKeys: typeof deleteRuns = async (connection, digests) => {
  await connection.query('DELETE FROM kept_key WHERE digest = ANY ($1::text[])', [digests])
}

/** The runs beyond the newest $1 of each workflow that have ended, and those that ended before $2. */
const oldRuns = `
  WITH ended AS (SELECT workflow, count(*) AS runs FROM run WHERE state > 2 GROUP BY workflow)
  SELECT r.id FROM ended CROSS JOIN LATERAL (
      SELECT o.id, o.ended_at, row_number() OVER (ORDER BY o.id) AS nth FROM unnest('{3,4,5}'::int[]) AS s(state)
        CROSS JOIN LATERAL (SELECT id, ended_at FROM run WHERE workflow = ended.workflow AND run.state = s.state
          ORDER BY id LIMIT $3) AS o
      ORDER BY o.id LIMIT $3) AS r
  WHERE r.nth <= ended.runs - $1 OR r.ended_at < $2
  LIMIT $3`
const expiredKeys = 'SELECT digest AS id FROM kept_key WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2'
const surplusKeys = `
  SELECT k.digest AS id FROM (SELECT scope, count(*) AS keys FROM kept_key GROUP BY scope HAVING count(*) > $1) AS s
    CROSS JOIN LATERAL (
      SELECT digest FROM kept_key WHERE kept_key.scope = s.scope ORDER BY expires_at LIMIT least($2, s.keys - $1)) AS k
  LIMIT $2`
