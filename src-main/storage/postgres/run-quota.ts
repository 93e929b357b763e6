import type { Row, Statement } from './connect.ts'

/** A count that took longer than this many milliseconds is only made again after this many times as long. */
const longCountMs = 50
const restAfterCount = 20

/** Limits the number of waiting runs over all nodes. It is a soft limit: each node knows what others store a while later. */
export class RunQuota {
  readonly #pool
  readonly #most
  /** At most as many are waiting, as far as this node knows. */
  #estimate = Number.POSITIVE_INFINITY
  #counting: Promise<void> | null = null
  #countAgainAt = 0

  constructor(pool: { query(statement: Statement): Promise<Row[]> }, most: number) {
    this.#pool = pool
    this.#most = most
  }

  /** Returns whether `more` runs may wait, if it is known without a count. They then count as waiting. */
  takeNow(more: number): boolean {
    // Those who wait for a count come first.
    if (this.#counting !== null || this.#estimate + more > this.#most) return false
    this.#estimate += more
    return true
  }

  /** Returns whether `more` runs may wait. */
  async take(more: number): Promise<boolean> {
    if (this.takeNow(more)) return true
    if (performance.now() >= this.#countAgainAt) {
      this.#counting ??= this.#count().finally(() => {
        this.#counting = null
      })
      await this.#counting
    }
    return this.takeNow(more)
  }

  /** Call it when runs wait no longer. A fan-out is counted again when the quota seems to be used up. */
  left(runs: number): void {
    this.#estimate -= runs
  }

  /** Call it when any number of runs was deleted. */
  countAgain(): void {
    this.#estimate = Number.POSITIVE_INFINITY
    this.#countAgainAt = 0
  }

  async #count(): Promise<void> {
    const before = performance.now()
    const [row] = await this.#pool.query(count)
    const now = performance.now()
    this.#estimate = Number(row?.waiting)
    if (now > before + longCountMs) this.#countAgainAt = now + restAfterCount * (now - before)
  }
}

/** A fan-out is one until all its runs, and those of earlier ones, have ended. */
const count = {
  name: 'count_waiting',
  text: `WITH waiting AS (SELECT count(*) FILTER (WHERE NOT is_fanned) AS runs, min(body) FILTER (WHERE is_fanned) AS body
      FROM run WHERE state < 2),
    running AS (SELECT min(body) AS body FROM run WHERE state = 2 AND is_fanned)
    SELECT waiting.runs + (SELECT count(*) FROM run_body WHERE runs > 1 AND id >= least(waiting.body, running.body))
      + (SELECT count(*) FROM fan_out WHERE ended_at IS NULL) AS waiting
    FROM waiting, running`,
}
