import { describe, expect, it, onTestFinished } from 'vitest'
import { sequenceOfEventId } from '#main/lib/sequence.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { createCluster, noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { listLength, listsOn } from '../append-lists.ts'
import { outputUntilKilled } from '../output-until-killed.ts'
import { emptyDatabase } from './open-database.ts'

const listsInDatabase = `SELECT count(*)::int AS events, count(run.id)::int AS runs
  FROM event LEFT JOIN run ON run.event = event.seq GROUP BY event.body`
const others = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`

/** Checks that each list is there as a whole, and that those are there that were durable. */
async function expectWhole(url: string, durable: readonly string[]): Promise<void> {
  const lists = await query(url, listsInDatabase)
  expect(lists.length).toBeGreaterThanOrEqual(durable.length)
  const parts = lists.map(list => JSON.stringify(list))
  expect(new Set(parts)).toEqual(new Set([JSON.stringify({ events: listLength, runs: listLength })]))
  const numbers = durable.map(id => sequenceOfEventId(id))
  expect(await query(url, 'SELECT seq FROM event WHERE seq = ANY ($1::bigint[])', [numbers])).toHaveLength(
    durable.length,
  )
}

describe.skipIf(noPostgres !== null)('a list of events in PostgreSQL', () => {
  it.each([1, 2])('is there with all its runs, or not at all, after kill -9 (round %i)', async round => {
    const url = await emptyDatabase()
    const printed = await outputUntilKilled('append-all-until-killed.ts', url, 100 * round)
    // The server carries out what it was sent.
    await expect.poll(() => query(url, others)).toEqual([])
    const durable = printed.filter(line => /^evt_.{11}$/.test(line))
    expect(durable.length).toBeGreaterThanOrEqual(100 * round)
    await expectWhole(url, durable)
  })

  it('is there with all its runs, or not at all, after the database has lost its power', async () => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    const server = await cluster.start()
    onTestFinished(() => server.stop('SIGQUIT'))
    const connect = connectorTo(server.url())
    const pool = new Pool(connect, 3)
    onTestFinished(() => pool.close())
    await migrate(pool)
    const log = await openPostgresEvents({ connect, pool, slot: () => 1, clock: Date.now, onError: () => {} })
    onTestFinished(() => log.close())
    const durable: string[] = []
    const produce = listsOn(log, eventId => durable.push(eventId))
    const producing = Promise.allSettled(Array.from({ length: 8 }, produce))
    await expect.poll(() => durable.length).toBeGreaterThan(100)
    await server.kill()
    const ends = await producing
    expect(ends.map(({ status }) => status)).toEqual(Array(8).fill('rejected'))
    const again = await cluster.start({}, server.port)
    onTestFinished(() => again.stop('SIGQUIT'))
    await expectWhole(again.url(), durable)
  })
})
