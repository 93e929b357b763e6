/** Claims in PostgreSQL while a million runs wait, and while a snapshot keeps what was claimed from being cleaned up. */
import { Client } from 'pg'
import type { Pool } from '#main/storage/postgres/pool.ts'
import type { ClaimedRun } from '#main/storage/runs.ts'
import { type PostgresLog, withPostgres } from './support/postgres-events.ts'
import { median, percentile } from './support/statistics.ts'

const leaseMs = 60_000

export type NodesClaimBench = { readonly p99Ms: readonly number[]; readonly slowdown: number }

export async function run({
  waiting = 1_000_000,
  claims = 400,
  heldRuns = 50_000,
} = {}): Promise<NodesClaimBench> {
  return withPostgres(async ({ url, pool, openEmpty }) => {
    const p99Ms: number[] = []
    let slowdown = Number.NaN
    for (const [lanes, share] of [
      [10_000, 0.5],
      [51, 0.9],
    ] as const) {
      const log = await openEmpty()
      await fill(url, pool, waiting, lanes, share)
      const took = await claimSome(log, claims)
      const p99 = percentile(took, 0.99)
      console.log(
        `${lanes} lanes: a claim of 25, ms   p50 ${median(took).toFixed(1)}   p99 ${p99.toFixed(1)}   target: at most 10`,
      )
      p99Ms.push(p99)
      if (lanes === 51) slowdown = await claimUnderSnapshot(log, url, heldRuns)
      await log.close()
    }
    return { p99Ms, slowdown }
  })
}

/** Makes runs wait: a share of them in one lane. Every tenth lane is ordered. */
async function fill(url: string, pool: Pool, waiting: number, lanes: number, share: number): Promise<void> {
  await pool.query(
    `INSERT INTO lane (lane, most, is_ordered) SELECT 'wf_' || lpad(n::text, 6, '0'), CASE WHEN n % 10 = 0 THEN 1 ELSE 10 END, n % 10 = 0
      FROM generate_series(0, $1::int - 1) AS n`,
    [lanes],
  )
  // On a connection without a time limit.
  const client = new Client(url)
  await client.connect()
  await client.query(`
    INSERT INTO run (id, place, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, body, is_fanned, summary)
    SELECT 1000000 + n, nextval('run_place'), w, 'default', 'conn_1', 1000000 + n, w, 0, 0, 0, 1, 1000000 + n, false, '{"eventName":"order.created"}'
    FROM (SELECT n, 'wf_' || lpad((CASE WHEN n <= ${Math.round(waiting * share)} THEN 1 ELSE n % ${lanes} END)::text, 6, '0') AS w
      FROM generate_series(1, ${waiting}) AS n) AS r`)
  await client.query(`INSERT INTO run_body (id, data) SELECT id, repeat('x', 200) FROM run`)
  await client.query('VACUUM ANALYZE')
  await client.end()
}

const finish = (log: PostgresLog, runs: readonly ClaimedRun[]) =>
  Promise.all(
    runs.map(one =>
      log.runs.finish(one, { state: 'succeeded', endedAt: Date.now(), error: null, discard: false }),
    ),
  )

/** Returns the milliseconds of each claim. */
async function claimSome(log: PostgresLog, claims: number): Promise<number[]> {
  const took: number[] = []
  const held: ClaimedRun[] = []
  for (let claim = 0; claim < claims; claim++) {
    const began = performance.now()
    const { runs } = await log.runs.claim(25, leaseMs)
    took.push(performance.now() - began)
    held.push(...runs)
    if (claim % 2 === 1) await finish(log, held.splice(0, 50))
  }
  await finish(log, held)
  return took
}

/** Returns how many times as long as the first claims the last ones take. */
async function claimUnderSnapshot(log: PostgresLog, url: string, runs: number): Promise<number> {
  await log.setLanes([['wf_000001', 1000]])
  const snapshot = new Client(url)
  await snapshot.connect()
  await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await snapshot.query('SELECT 1 FROM run LIMIT 1')
  const took: number[] = []
  for (let left = runs; left > 0; ) {
    const began = performance.now()
    const { runs: claimed } = await log.runs.claim(100, leaseMs)
    took.push(performance.now() - began)
    if (claimed.length === 0) break
    left -= claimed.length
    await finish(log, claimed)
  }
  await snapshot.end()
  const ratio = median(took.slice(-50)) / median(took.slice(0, 50))
  console.log(
    `with a snapshot held open: the last claims take ${ratio.toFixed(2)} times as long   target: at most 2`,
  )
  return ratio
}

if (import.meta.main) await run()
