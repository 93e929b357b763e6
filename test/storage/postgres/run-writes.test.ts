import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo, type Row, type Statement } from '#main/storage/postgres/connect.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { noPostgres } from '../../support/postgres.ts'
import { emptyDatabase } from './open-database.ts'

class CountingPool extends Pool {
  statements = 0
  override query(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]> {
    this.statements++
    return super.query(statement, values)
  }
}

async function openRuns(most: number) {
  const now = Date.UTC(2026, 0, 1)
  const connect = connectorTo(await emptyDatabase())
  const pool = new CountingPool(connect, most)
  const log = await openPostgresEvents({
    ...{ connect, pool, slot: () => 1, clock: () => now },
    onError(error) {
      throw error
    },
  })
  onTestFinished(async () => {
    await log.close()
    pool.close()
  })
  return { now, pool, log }
}

describe.skipIf(noPostgres !== null)('leases in PostgreSQL', () => {
  it('are renewed by one statement, however many there are', async () => {
    const { now, pool, log } = await openRuns(2)
    const { runs } = log
    await log.setLanes([['wf_a', 300]])
    const shared = { workflowId: 'wf_a', workspaceId: 'default', connectionId: null, lane: 'wf_a' }
    await runs.start(Array(300).fill({ ...shared, queuedAt: now, summary: '{}', data: '{}' }), null)
    const { runs: claimed } = await runs.claim(300, 10_000)
    const [first] = claimed
    if (first === undefined) throw new Error('300 runs wait.')
    const before = pool.statements
    const lost = [
      { ...first, claimNumber: 2 },
      { runId: 'unknown', claimNumber: 1 },
    ]
    expect(await runs.renew([...lost, ...claimed.slice(1)], 60_000)).toEqual(
      claimed.slice(1).map(({ runId }) => runId),
    )
    expect(pool.statements - before).toBe(1)
    expect(
      await pool.query('SELECT due_at - $1 AS ms, count(*) AS runs FROM run GROUP BY 1 ORDER BY 1', [now]),
    ).toEqual([
      { ms: 10_000, runs: 1 },
      { ms: 60_000, runs: 299 },
    ])
    expect(await runs.renew([], 60_000)).toEqual([])
  })
})

describe.skipIf(noPostgres !== null)('runs of a fan-out in PostgreSQL', () => {
  it('leave none of their data if all end at once and discard them', async () => {
    const { now, pool, log } = await openRuns(8)
    const workflowIds = Array.from({ length: 8 }, (_, index) => `wf_${index}`)
    const fanOut = { workspaceId: 'default', connectionId: null, queuedAt: now, summary: '{}', data: '{}' }
    for (let round = 0; round < 20; round++) {
      await log.runs.start([{ ...fanOut, workflowIds }], null)
      const ids = (await log.runs.list({ limit: 8, state: 'waiting' })).runs.map(({ runId }) => runId)
      expect(ids).toHaveLength(8)
      await Promise.all(ids.map(runId => log.runs.cancel(runId, { endedAt: now, discard: true })))
      const kept = 'SELECT data FROM run_body WHERE data IS NOT NULL UNION ALL SELECT data FROM fan_out'
      expect(await pool.query(kept)).toEqual([])
    }
  })
})
