import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { noPostgres } from '../../support/postgres.ts'
import { openTemporary } from './open-events.ts'

describe.skipIf(noPostgres !== null)('claims in PostgreSQL', () => {
  const newRun = () => ({
    ...{ workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: null, lane: 'wf_a' },
    ...{ queuedAt: 1, summary: '{}', data: '{}' },
  })

  it('find a run that becomes visible after later ones were claimed', async () => {
    const { url, log, dispose } = await openTemporary()
    const late = await connectorTo(url)()
    onTestFinished(async () => {
      late.end()
      await dispose()
    })
    const claimed = async () => (await log.runs.claim(10, 10_000)).runs
    await late.query('BEGIN')
    await late.query(`INSERT INTO run
        (id, place, workflow, workspace, connection, lane, state, due_at, attempt, queued_at, is_fanned, summary)
      VALUES (1, nextval('run_place'), 'wf_a', 'ws_a', '', 'wf_a', 0, 0, 0, 1, false, '{}')`)
    for (let n = 0; n < 5; n++) {
      const { ids } = await log.runs.start([newRun()], null)
      const runs = await claimed()
      expect(runs.map(({ runId }) => runId)).toEqual(ids)
      for (const run of runs)
        await log.runs.finish(run, { state: 'succeeded', endedAt: 1, error: null, discard: false })
    }
    await late.query('COMMIT')
    expect(await claimed()).toHaveLength(1)
  })

  it('find the runs of a fan-out that is decided after later ones were claimed', async () => {
    let now = Date.UTC(2026, 0, 1)
    const { url, pool, log, dispose } = await openTemporary({ clock: () => now })
    const [earlier, late] = [await connectorTo(url)(), await connectorTo(url)()]
    onTestFinished(async () => {
      for (const one of [earlier, late]) one.end()
      await dispose()
    })
    const claimed = async () => (await log.runs.claim(10, 10_000)).runs
    const goOn = async () => {
      for (let n = 0; n < 3; n++) {
        await log.runs.start([newRun()], null)
        const runs = await claimed()
        expect(runs).toHaveLength(1)
        for (const run of runs)
          await log.runs.finish(run, { state: 'succeeded', endedAt: 1, error: null, discard: false })
      }
    }
    await pool.query(
      `INSERT INTO run_list (digest, workspace, workflows, used_at) VALUES ('a', 'ws_a', '{wf_a}', 0)`,
    )
    await goOn()
    await earlier.query('BEGIN; SELECT pg_current_xact_id()')
    await goOn()
    await late.query('BEGIN')
    await late.query(`INSERT INTO fan_out (id, place, list, runs, queued_at, connection, due_at, node, summary, data)
      SELECT 1, nextval('run_place'), id, 1, 1, '', ${now + 60_000}, 7, '{}', '{}' FROM run_list`)
    // A claim sees that all transactions have ended which another one knew, but not this one.
    await earlier.query('COMMIT')
    await goOn()
    await late.query('COMMIT')
    await goOn()
    await goOn()
    now += 30_000
    await goOn()
    // The other node is gone, and none has looked at all places again.
    await pool.query('UPDATE fan_out SET due_at = 0')
    now += 2000
    expect(await claimed()).toMatchObject([{ workflowId: 'wf_a', isPending: true }])
  })
})
