import { deletedInSql, state, stepsOfText } from '../rows/run-rows.ts'
import type { RunEnd } from '../runs.ts'
import { sealedPrefix } from '../sealing.ts'
import type { Connection, Row } from './connect.ts'
import { cancelPending } from './fan-outs.ts'
import { endInSql } from './ids.ts'
import type { Pool } from './pool.ts'
import { changeStatement, type RunChange, stepStatement } from './run-write-statement.ts'
import { toStoredOrNull } from './stored-text.ts'

/** Changes of one statement. */
const mostChanges = 128

type Waiting = { readonly change: RunChange; resolve(isHeld: boolean): void; reject(error: unknown): void }

/** Writes what becomes of claimed runs. All that waits is written together, one statement at a time. */
export class RunWrites {
  readonly #pool
  readonly #slot
  readonly #waiting: Waiting[] = []
  readonly #renewals: (() => Promise<void>)[] = []
  #writing: Promise<void> | null = null

  /** @param slot returns that of this node. Another one may have claimed a run as often, on a server that has missed a claim. */
  constructor(pool: Pool, slot: () => number) {
    this.#pool = pool
    this.#slot = slot
  }

  /** Returns whether the run was still the caller's; changes nothing otherwise. @throws RangeError for an invalid time. */
  write(change: RunChange): Promise<boolean> {
    return new Promise((resolve, reject) => {
      requireWhole(change)
      this.#waiting.push({ change, resolve, reject })
      this.#start()
    })
  }

  /** Prolongs the leases of runs to a time. Returns those that are still the caller's. */
  renew(runs: readonly Pick<RunChange, 'id' | 'claimNumber'>[], dueAt: number): Promise<Set<unknown>> {
    const values = [runs.map(({ id }) => id), runs.map(({ claimNumber }) => claimNumber), dueAt, this.#slot()]
    return new Promise((resolve, reject) => {
      // Not beside a write: two statements that change several runs could wait for each other.
      this.#renewals.push(() => this.#pool.query(renew, values).then(rows => resolve(idsOf(rows)), reject))
      this.#start()
    })
  }

  #start(): void {
    this.#writing ??= this.#writeAll()
  }

  /** Resolves when nothing waits to be written. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #writeAll(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    while (this.#waiting.length + this.#renewals.length > 0) {
      for (const renewal of this.#renewals.splice(0)) await renewal()
      const batch = this.#take()
      if (batch.length === 0) continue
      try {
        const held = await this.#write(batch.map(({ change }) => change))
        for (const { change, resolve } of batch) resolve(held.has(change.id))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    // At once, or what is added until a later callback would not be written.
    this.#writing = null
  }

  /** One change of each run: the next has to see what became of it. */
  #take(): Waiting[] {
    const ids = new Set<number>()
    const isNext = ({ change: { id } }: Waiting) =>
      !ids.has(id) && ids.size < mostChanges && ids.add(id).size > 0
    const batch = this.#waiting.filter(isNext)
    const taken = new Set(batch)
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter(one => !taken.has(one)))
    return batch
  }

  async #write(changes: readonly RunChange[]): Promise<Set<unknown>> {
    const { statement, values } = changeStatement(changes, this.#slot())
    const discarded = changes.filter(({ discard }) => discard).map(({ id }) => id)
    const unsealed = changes.filter(({ unseal }) => unseal).map(({ id }) => id)
    if (discarded.length + unsealed.length === 0) return idsOf(await this.#pool.query(statement, values))
    return this.#pool.repeatable(async connection => {
      const bodies = await bodiesOf(connection, discarded)
      const held = idsOf(await connection.query(statement, values))
      await discardTexts(
        connection,
        discarded.filter(id => held.has(id)),
        bodies,
      )
      await connection.query(unseal, [unsealed.filter(id => held.has(id))])
      return held
    })
  }

  /** Ends a run unless it has ended. Returns how often it was claimed; null if it had ended. */
  cancel(id: number, { endedAt, discard }: Pick<RunEnd, 'endedAt' | 'discard'>): Promise<number | null> {
    return this.#pool.repeatable(async connection => {
      const cancelRow = async () => {
        const bodies = discard ? await bodiesOf(connection, [id]) : []
        const [ended] = await connection.query(cancel, [id, endedAt, discard])
        if (ended === undefined) return null
        if (discard) await discardTexts(connection, [id], bodies)
        else await connection.query(unseal, [[id]])
        return Number(ended.attempt)
      }
      // It may have become a row while this waited for its fan-out.
      return (
        (await cancelRow()) ??
        (await cancelPending(connection, id, { endedAt, discard })) ??
        (await cancelRow())
      )
    })
  }

  /** See `RunStore.hurry`. */
  async hurry(id: number): Promise<boolean> {
    return (await this.#pool.query(hurry, [id])).length > 0
  }

  /** See `RunStore.reopen`. */
  async reopen(id: number, summary?: string): Promise<boolean> {
    if (await this.hurry(id)) return true
    return this.#pool.repeatable(async connection => {
      const [row] = await connection.query(reopen, [id, toStoredOrNull(summary)])
      if (row === undefined) return false
      await connection.query(haveLane, [id])
      const [body] = await connection.query(
        'SELECT steps FROM run_body WHERE id = $1 AND steps IS NOT NULL',
        [id],
      )
      if (body === undefined) return true
      const steps = stepsOfText(String(body.steps), Number(row.started_at))
      const { statement, values } = stepStatement(id, steps)
      await connection.query(statement, values)
      await connection.query('UPDATE run_body SET steps = NULL WHERE id = $1', [id])
      return true
    })
  }
}

const idsOf = (rows: readonly Row[]) => new Set(rows.map(({ id }) => id))

function requireWhole({ dueAt = 0, endedAt = 0, steps = [] }: RunChange): void {
  const times = [dueAt, endedAt, ...steps.flatMap(step => [step.startedAt, step.endedAt ?? 0, step.attempt])]
  if (!times.every(Number.isSafeInteger))
    throw new RangeError('The times of a run must be whole milliseconds.')
}

const bodiesOf = async (connection: Connection, ids: readonly number[]) =>
  (
    await connection.query(
      'SELECT DISTINCT body FROM run WHERE id = ANY ($1::bigint[]) AND body IS NOT NULL',
      [ids],
    )
  ).map(({ body }) => body)

const noRunHas = `NOT EXISTS (SELECT FROM run WHERE run.id >= b.id AND run.id < ${endInSql('b.id', 'b.runs')} AND run.body = b.id)`

/** Locks data that several runs have: the last of the transactions that end these must see that no other run has it. */
const lockBodies = 'SELECT FROM run_body WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE'

/** Deletes the texts of runs, and the data that no other run has. */
async function discardTexts(
  connection: Connection,
  ids: readonly number[],
  bodies: readonly unknown[],
): Promise<void> {
  await connection.query('UPDATE run_step SET input = NULL, output = NULL WHERE run = ANY ($1::bigint[])', [
    ids,
  ])
  await connection.query(lockBodies, [bodies])
  await connection.query(
    `UPDATE run_body AS b SET data = NULL WHERE id = ANY ($1::bigint[]) AND ${noRunHas}`,
    [bodies],
  )
}

/** Deletes runs with all that belongs to them, in a transaction. */
export async function deleteRuns(connection: Connection, ids: readonly unknown[]): Promise<void> {
  if (ids.length === 0) return
  const gone = await connection.query('DELETE FROM run WHERE id = ANY ($1::bigint[]) RETURNING body', [ids])
  await connection.query('DELETE FROM run_step WHERE run = ANY ($1::bigint[])', [ids])
  const bodies = [...new Set([...ids, ...gone.flatMap(({ body }) => body ?? [])])]
  await connection.query(lockBodies, [bodies])
  await connection.query(`DELETE FROM run_body AS b WHERE id = ANY ($1::bigint[]) AND ${noRunHas}`, [bodies])
  // The steps of a fan-out's first run are beside the data that its other runs need.
  await connection.query(
    'UPDATE run_body SET steps = NULL WHERE id = ANY ($1::bigint[]) AND steps IS NOT NULL',
    [ids],
  )
}

/** Deletes the sealed outputs of runs. */
const unseal = `UPDATE run_step SET output = ${deletedInSql(`strpos(output, E'\\n')`)}
  WHERE run = ANY ($1::bigint[]) AND output LIKE '${sealedPrefix}%'`
const cancel = {
  name: 'cancel_run',
  text: `UPDATE run SET state = ${state.cancelled}, due_at = 0, ended_at = $2, error = NULL,
      body = CASE WHEN $3::boolean THEN NULL ELSE body END
    WHERE id = $1 AND state <= ${state.running} RETURNING attempt`,
}
const renew = {
  name: 'renew_runs',
  text: `UPDATE run SET due_at = $3 FROM unnest($1::bigint[], $2::int[]) AS u(id, attempt)
    WHERE run.id = u.id AND run.attempt = u.attempt AND run.state = ${state.running} AND run.node = $4 RETURNING run.id`,
}
/** The lane of a workflow that is gone may be too. */
const haveLane = `INSERT INTO lane (lane, is_cancelled) SELECT lane, true FROM run WHERE id = $1 ON CONFLICT DO NOTHING`
const hurry = {
  name: 'hurry_run',
  text: `UPDATE run SET due_at = 0 WHERE id = $1 AND state = ${state.retrying} RETURNING id`,
}
const reopen = {
  name: 'reopen_run',
  text: `UPDATE run SET state = ${state.retrying}, due_at = 0, place = id, ended_at = NULL, error = NULL,
      summary = coalesce($2, summary)
    WHERE id = $1 AND state IN (${state.failed}, ${state.cancelled}) AND body IS NOT NULL RETURNING started_at`,
}
