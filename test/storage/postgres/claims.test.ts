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
})
