import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import type { ClaimedRun, ListedRun } from '#main/storage/runs.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { outputUntilKilled } from '../output-until-killed.ts'
import { workflowIds, workOn } from './fan-out-work.ts'
import { emptyDatabase } from './open-database.ts'

const clients = `FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`
const others = `SELECT pid ${clients} AND pid <> pg_backend_pid() AND NOT pid = ANY ($1::int[])`

describe.skipIf(noPostgres !== null)('runs that are stored together', () => {
  it.each([1, 2])('are there once each after kill -9, and none is repeated (round %i)', async round => {
    const url = await emptyDatabase()
    const connect = connectorTo(url)
    const pool = new Pool(connect, 3)
    onTestFinished(() => pool.close())
    let later = 0
    const clock = () => Date.now() + later
    const log = await openPostgresEvents({ connect, pool, slot: () => 2, clock, onError: () => {} })
    onTestFinished(() => log.close())
    const { runs } = log
    await pool.fill()
    const own = (await pool.query(`SELECT pid ${clients}`)).map(({ pid }) => pid)
    const ended: string[] = []
    const claimed: string[] = []
    const note = (found: readonly ClaimedRun[]) => claimed.push(...found.map(({ runId }) => runId))
    const work = () => workOn(runs, note, runId => ended.push(runId))
    let isKilled = false
    const working = (async () => {
      while (!isKilled) await work()
    })()
    const printed = await outputUntilKilled('postgres/fan-out-until-killed.ts', url, 150 * round)
    isKilled = true
    await working
    // The server carries out what it was sent.
    await expect.poll(() => query(url, others, [own])).toEqual([])
    claimed.length = 0
    // The leases of the other process have ended.
    later = 60_000
    while (await work());
    ended.push(...printed.filter(id => /^run_.{11}$/.test(id)))
    expect(ended).toHaveLength(new Set(ended).size)
    expect(claimed).toHaveLength(new Set(claimed).size)
    expect(await runs.laneCounts()).toEqual([])
    const byEvent = new Map<string | null, ListedRun[]>()
    for (let before: string | undefined; ; ) {
      const page = await runs.list({ limit: 200, before })
      for (const run of page.runs) byEvent.set(run.eventId, [run, ...(byEvent.get(run.eventId) ?? [])])
      if (page.nextBefore === null) break
      before = page.nextBefore
    }
    const durable = printed.filter(id => /^evt_.{11}$/.test(id))
    expect(durable.filter(id => !byEvent.has(id))).toEqual([])
    expect(await query(url, 'SELECT count(*)::int AS events FROM event')).toEqual([{ events: byEvent.size }])
    for (const found of byEvent.values()) {
      expect(found.map(({ workflowId }) => workflowId)).toEqual(workflowIds)
      expect(found.map(({ state }) => state)).toEqual(workflowIds.map(() => 'succeeded'))
    }
    expect(await runs.countEnded({})).toEqual({
      ...{ succeeded: workflowIds.length * byEvent.size, failed: 0, cancelled: 0 },
    })
  })
})
