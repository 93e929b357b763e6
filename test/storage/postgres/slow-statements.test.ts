import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { openOccurrences } from '#main/storage/postgres/occurrences.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { RunHousekeeping } from '#main/storage/postgres/run-housekeeping.ts'
import { noPostgres } from '../../support/postgres.ts'
import { emptyDatabase } from './open-database.ts'

describe.skipIf(noPostgres !== null)('a statement that deletes much', () => {
  it('may take longer than others', async () => {
    const url = await emptyDatabase()
    const connect = connectorTo(url, { silentMs: 2000 })
    const [pool, slowPool, locking] = [
      new Pool(connect, 2),
      new Pool(connectorTo(url), 1),
      new Pool(connectorTo(url), 1),
    ]
    const onError = (error: unknown) => {
      throw error
    }
    const parts = { connect, pool, slowPool, clock: Date.now, onError }
    const log = await openPostgresEvents({ ...parts, slot: () => 1 })
    const history = await openOccurrences({ ...parts, bounds: {}, onProblem: onError })
    const bounds = { mostPerWorkflow: 1, maxAgeMs: 1, mostKeys: 1 }
    const housekeeping = new RunHousekeeping(slowPool, bounds, Date.now, onError)
    onTestFinished(async () => {
      await housekeeping.close()
      await log.close()
      for (const one of [pool, slowPool, locking]) one.close()
    })
    let deletions: Promise<unknown> | undefined
    await locking.transaction(async connection => {
      await connection.query('LOCK TABLE connection, run, kept_key, occurrence')
      deletions = Promise.all([
        log.clear('conn_a'),
        log.runs.forget('conn_a'),
        history.forget(['conn_a']),
        history.keepOnly([]),
        housekeeping.tidy(),
      ])
      deletions.catch(() => {})
      await expect(pool.query('SELECT FROM run')).rejects.toMatchObject({ code: 'storage_unavailable' })
    })
    await deletions
  })
})
