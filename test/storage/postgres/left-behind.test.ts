import { describe, expect, it, onTestFinished } from 'vitest'
import { sequenceOfTime } from '#main/lib/sequence.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { createLeftBehind } from '#main/storage/postgres/left-behind.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { eventually } from '../../support/eventually.ts'
import { createCluster, noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'

const leftAt = Date.parse('2026-11-29T09:00:00Z')

/** Opens a database with a connection, on a primary and on a standby that has all of it and is to be promoted. */
async function openPair() {
  const cluster = createCluster()
  let first = await cluster.start()
  const setUp = new Pool(connectorTo(first.url()), 1)
  await migrate(setUp)
  await setUp.query("INSERT INTO connection (key) VALUES ('conn_a'), ('conn_b')")
  setUp.close()
  await first.stop()
  const standby = cluster.standbyOf('host=127.0.0.1 port=1')
  first = await cluster.start({}, first.port)
  const second = await standby.start()
  const told: string[] = []
  const waiting: (() => void)[] = []
  const connect = connectorTo(first.url().replace(/:(\d+)/, `:$1,127.0.0.1:${second.port}`), {
    onServer: (_number, left) => left && leftBehind.left(left),
  })
  const pool = new Pool(connect, 1)
  const leftBehind = createLeftBehind({
    ...{ pool, clock: () => leftAt, tell: (text: string) => told.push(text) },
    after(_ms, callback) {
      waiting.push(callback)
      return () => {}
    },
  })
  onTestFinished(async () => {
    pool.close()
    for (const server of [first, second]) await server.stop('SIGQUIT')
    for (const one of [cluster, standby]) one.remove()
  })
  await pool.query('SELECT 1')
  return {
    ...{ first, second, told },
    promote: async () => {
      await query(second.url(), 'SELECT pg_promote()')
      await connect.look()
    },
    async report() {
      const before = told.length
      for (const callback of waiting) callback()
      await eventually(() => expect(told).toHaveLength(before + 1))
      return told.at(-1)
    },
  }
}

const numberAgo = (ms: number, nth = 0) => sequenceOfTime(leftAt - ms) + nth
const addEvents = (url: string, connection: number, numbers: readonly number[]) =>
  query(
    url,
    `INSERT INTO event (seq, connection, name, received_at, flags, headers, body)
      SELECT n, $1, 'a', n / 1024, 0, '', '{}' FROM unnest($2::bigint[]) AS n`,
    [connection, numbers],
  )

describe.skipIf(noPostgres !== null)('what a former primary has accepted alone', () => {
  it('is counted once a service has left it, without what was deleted on the other one, if it can be asked', async () => {
    const { first, second, promote, report } = await openPair()
    const both = [numberAgo(3000), numberAgo(2000)]
    const run = (url: string, number: number) =>
      query(
        url,
        `INSERT INTO run (id, place, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, is_fanned, summary)
          VALUES ($1::bigint + 1, 1, 'wf_a', 'ws_a', 'conn_c', $1, 'wf_a', 0, 0, 0, $1::bigint / 1024, false, '')`,
        [number],
      )
    const fanOut = (url: string, number: number) =>
      query(
        url,
        `INSERT INTO fan_out (id, list, runs, event, queued_at, connection, summary)
          VALUES ($1::bigint + 1, 1, 2, $1, $1::bigint / 1024, 'conn_c', '')`,
        [number],
      )
    await addEvents(first.url(), 1, both)
    await promote()
    await addEvents(second.url(), 1, both)
    await addEvents(second.url(), 1, [numberAgo(500)])
    expect(await report()).toMatch(/^The former primary 127\.0\.0\.1:\d+ has accepted no events that 127/)

    await addEvents(first.url(), 1, [numberAgo(1000), numberAgo(1000, 1), numberAgo(3_600_000)])
    await addEvents(first.url(), 2, [numberAgo(1000, 2)])
    await query(second.url(), `UPDATE connection SET hidden_up_to = $1 WHERE key = 'conn_b'`, [
      numberAgo(999),
    ])
    // Of connections that store no events.
    for (const { url } of [first, second]) {
      await run(url(), numberAgo(4000))
      await fanOut(url(), numberAgo(3500))
    }
    await run(first.url(), numberAgo(1500))
    await fanOut(first.url(), numberAgo(1400))
    expect(await report()).toContain(
      `has accepted 4 events since 2026-11-29T08:59:58.500Z that 127.0.0.1:${second.port} `,
    )

    await first.stop('SIGQUIT')
    expect(await report()).toMatch(/^It cannot be known .* \(connect ECONNREFUSED /)
  })
})
