import { describe, expect, it, onTestFinished } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { RunHousekeeping } from '#main/storage/postgres/run-housekeeping.ts'
import type { NewRun } from '#main/storage/runs.ts'
import { noPostgres } from '../../support/postgres.ts'
import { openTemporary } from './open-events.ts'

const day = 86_400_000

describe.skipIf(noPostgres !== null)('housekeeping of runs', () => {
  let now = Date.UTC(2026, 0, 1)

  async function open(bounds: { mostPerWorkflow?: number; mostKeys?: number }) {
    now = Date.UTC(2026, 0, 1)
    const opened = await openTemporary({ clock: () => now })
    const all = { mostPerWorkflow: 10, maxAgeMs: day, mostKeys: 10, ...bounds }
    const fail = (error: unknown) => {
      throw error
    }
    const pool = new Pool(connectorTo(opened.url), 1)
    await pool.query('SET track_counts = on')
    const housekeeping = new RunHousekeeping(pool, all, () => now, fail)
    onTestFinished(async () => {
      await housekeeping.close()
      pool.close()
      await opened.dispose()
    })
    const rowsIn = async (table: string) => {
      const [row] = await opened.pool.query(`SELECT count(*) AS rows FROM ${table}`)
      return row?.rows
    }
    /** Returns how many entries of the indexes of runs were read. */
    const entriesRead = async () => {
      await pool.query('SELECT pg_stat_force_next_flush()')
      await pool.query('SELECT 1')
      const [row] = await opened.pool.query(
        "SELECT sum(idx_tup_read) AS entries FROM pg_stat_all_indexes WHERE relname = 'run'",
      )
      return Number(row?.entries)
    }
    return { ...opened, housekeeping, rowsIn, entriesRead }
  }

  const newRun = (changes: Partial<NewRun> = {}): NewRun => ({
    ...{ workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'wf_a' },
    ...{ queuedAt: now, summary: '{}', data: '{}', ...changes },
  })
  const ended = () => ({ state: 'succeeded', endedAt: now, error: null, discard: false, steps: [] }) as const

  it('deletes ended runs beyond their number, the oldest first, with all that belongs to them', async () => {
    const { log, housekeeping, rowsIn } = await open({})
    const { ids } = await log.runs.start(
      Array.from({ length: 2100 }, () => newRun({ ended: ended() })),
      null,
    )
    const { ids: others } = await log.runs.start(
      [newRun({ workflowId: 'wf_b', ended: ended() }), newRun()],
      null,
    )
    await housekeeping.tidy()
    const { runs } = await log.runs.list({ limit: 200 })
    expect(runs.map(({ runId }) => runId)).toEqual([...ids.slice(-10), ...others].reverse())
    expect([await rowsIn('run'), await rowsIn('run_body'), await rowsIn('fan_out')]).toEqual([2, 2, 10])
  })

  it('deletes old ended runs, and keeps the data of a fan-out as long as one of its runs', async () => {
    const { pool, log, housekeeping, rowsIn } = await open({})
    const { workflowId: _workflow, lane: _lane, ...shared } = newRun()
    await log.setLanes([['wf_b', 0]])
    await log.runs.start([{ ...shared, workflowIds: ['wf_a', 'wf_b'] }], null)
    const { runs: claimed } = await log.runs.claim(10, 1000)
    expect(claimed.map(({ workflowId }) => workflowId)).toEqual(['wf_a'])
    await log.runs.endPending(claimed.map(run => ({ ...run, startedAt: now, ended: ended() })))
    now += day + 1
    await housekeeping.tidy()
    const { runs } = await log.runs.list({ limit: 10 })
    expect(runs.map(({ workflowId }) => workflowId)).toEqual(['wf_b'])
    expect((await log.runs.get(runs[0]?.runId ?? ''))?.data).toBe('{}')
    expect(await pool.query('SELECT steps FROM run_body')).toEqual([{ steps: null }])
    await log.runs.forget('conn_a')
    expect(await rowsIn('run_body')).toBe(0)
  })

  it('keeps the newest runs of each workflow also where they are stored together', async () => {
    const { pool, log, housekeeping, rowsIn } = await open({})
    const { workflowId: _workflow, lane: _lane, ...shared } = newRun()
    const workflowIds = ['wf_a', 'wf_b', 'wf_c']
    const decide = () => ended()
    const start = async (count: number) => {
      for (let n = 0; n < count; n++) await log.runs.start([{ ...shared, workflowIds }], null)
      expect((await log.runs.claim(1000, 1000, decide)).runs).toEqual([])
    }
    await start(15)
    // These are newer runs of one of the workflows.
    for (let n = 0; n < 4; n++) await log.runs.start([newRun({ ended: ended() })], null)
    const { runs: all } = await log.runs.list({ limit: 200 })
    expect(all).toHaveLength(49)
    const newest = (workflowId: string) => all.filter(run => run.workflowId === workflowId).slice(0, 10)
    const kept = workflowIds.flatMap(newest).map(({ runId }) => runId)
    await housekeeping.tidy()
    const { runs } = await log.runs.list({ limit: 200 })
    expect(runs.map(({ runId }) => runId)).toEqual(kept.sort().reverse())
    expect(await log.runs.countEnded({})).toEqual({ succeeded: 30, failed: 0, cancelled: 0 })
    expect(await log.runs.countEnded({ workflowIds: ['wf_a'] })).toMatchObject({ succeeded: 10 })
    expect(await rowsIn('fan_out')).toBe(14)
    for (const { runId } of all)
      expect((await log.runs.get(runId)) === null, runId).toBe(!kept.includes(runId))
    now += day + 1
    await start(1)
    await housekeeping.tidy()
    expect(await rowsIn('fan_out')).toBe(1)
    expect(await rowsIn('run_list')).toBe(1)
    now += day + 1
    await pool.query('DELETE FROM fan_out')
    await housekeeping.tidy()
    expect(await rowsIn('run_list')).toBe(0)
    // Nobody has used the number of a list for longer than a node remembers it.
    await start(1)
    expect((await log.runs.list({ limit: 10 })).runs.map(({ workflowId }) => workflowId)).toEqual(
      workflowIds.toReversed(),
    )
  })

  it('deletes keys that have expired, and the first to expire of too many', async () => {
    const { log, housekeeping, rowsIn } = await open({ mostKeys: 3 })
    const key = (n: number) => deduplicationKey('wf_a', `${n}`, now, (n + 1) * 1000)
    await log.runs.start(
      Array.from({ length: 8 }, (_, n) => newRun({ deduplicationKey: key(n) })),
      null,
    )
    now += 2000
    await housekeeping.tidy()
    expect(await rowsIn('kept_key')).toBe(3)
    const { duplicates } = await log.runs.start(
      [3, 6].map(n => newRun({ deduplicationKey: { ...key(n), from: now } })),
      null,
    )
    expect(duplicates.size).toBe(1)
  })

  it('reads little while little has changed', async () => {
    const { pool, reopen, housekeeping, rowsIn, entriesRead } = await open({
      mostPerWorkflow: 1280,
      mostKeys: 1280,
    })
    // Connections report at times of their own what they have read, so only that of the housekeeping counts.
    await pool.query('SET track_counts = off')
    await pool.query(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_counts = off', current_database()); END $$",
    )
    const log = await reopen()
    let key = 0
    const start = (count: number) =>
      log.runs.start(
        Array.from({ length: count }, () =>
          newRun({ ended: ended(), deduplicationKey: deduplicationKey('wf_a', `${key++}`, now, day) }),
        ),
        null,
      )
    await start(1300)
    await housekeeping.tidy()
    expect([await rowsIn('run'), await rowsIn('kept_key')]).toEqual([1280, 1280])
    const before = await entriesRead()
    await start(10)
    await housekeeping.tidy()
    expect(await rowsIn('run')).toBe(1290)
    expect((await entriesRead()) - before).toBeLessThan(100)
    await start(1)
    await housekeeping.tidy()
    expect(await rowsIn('run')).toBe(1280)
    now += 3_600_000
    await start(1)
    await housekeeping.tidy()
    expect([await rowsIn('run'), await rowsIn('kept_key')]).toEqual([1280, 1280])
  })

  it('finds runs that have ended after later ones within an hour', async () => {
    const { log, setLane, housekeeping } = await open({ mostPerWorkflow: 2 })
    await setLane('wf_a', 3)
    await log.runs.start([newRun(), newRun(), newRun()], null)
    const { runs } = await log.runs.claim(3, 1000)
    const { ids } = await log.runs.start([newRun({ ended: ended() }), newRun({ ended: ended() })], null)
    await housekeeping.tidy()
    for (const run of runs) await log.runs.finish(run, ended())
    now += 3_600_000
    await housekeeping.tidy()
    expect((await log.runs.list({ limit: 10 })).runs.map(({ runId }) => runId)).toEqual([...ids].reverse())
  })

  it('deletes the lane of a workflow that is gone once it has no runs', async () => {
    const { log, pool, setLane, housekeeping } = await open({})
    const lanes = async () =>
      (await pool.query('SELECT lane FROM lane ORDER BY lane')).map(({ lane }) => lane)
    const tidyLater = async () => {
      now += 3_600_000
      await housekeeping.tidy()
    }
    await setLane('wf_b', 0)
    await log.runs.start([newRun(), newRun({ workflowId: 'wf_b', lane: 'wf_b' })], null)
    await setLane('wf_a', 'cancelled')
    await setLane('wf_c', 'cancelled')
    for (let times = 0; times < 2; times++) await tidyLater()
    expect(await lanes()).toEqual(['wf_a', 'wf_b'])
    const [run] = (await log.runs.claim(10, 2 * day)).runs
    if (run === undefined) throw new Error('A run waits.')
    for (let times = 0; times < 2; times++) await tidyLater()
    expect(await lanes()).toEqual(['wf_a', 'wf_b'])
    await log.runs.cancel(run.runId, { endedAt: now, discard: false })
    await tidyLater()
    expect(await lanes()).toEqual(['wf_a', 'wf_b'])
    await tidyLater()
    expect(await lanes()).toEqual(['wf_b'])
    expect(await log.runs.reopen(run.runId)).toBe(true)
    expect((await log.runs.claim(10, day)).runs).toMatchObject([{ runId: run.runId, isCancelled: true }])
  })
})
