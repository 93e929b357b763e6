import { describe, expect, it } from 'vitest'
import { createCluster, noPostgres } from './postgres.ts'
import { newDatabase, query } from './postgres-database.ts'

const skipped = noPostgres === null ? '' : ` (skipped: ${noPostgres})`

describe.skipIf(noPostgres !== null)(`PostgreSQL for tests${skipped}`, () => {
  it('gives each caller an empty database', async () => {
    const [one, other] = [await newDatabase(), await newDatabase()]
    await query(one, 'CREATE TABLE mark (n int)')
    const tables = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
    expect(await query(one, tables)).toEqual([{ table_name: 'mark' }])
    expect(await query(other, tables)).toEqual([])
  })

  it('follows another server, and takes its place', async () => {
    const primary = createCluster()
    let first = await primary.start()
    await first.stop()
    const standby = primary.standbyOf(`host=127.0.0.1 port=${first.port} user=postgres application_name=b`)
    first = await primary.start({ synchronous_standby_names: 'b' }, first.port)
    const second = await standby.start()
    try {
      // It waits for the standby, which has it then.
      await query(first.url(), 'CREATE TABLE kept AS SELECT 7 AS n')
      await first.stop('SIGKILL')
      await query(second.url(), 'SELECT pg_promote()')
      expect(await query(second.url(), 'SELECT n FROM kept')).toEqual([{ n: 7 }])
    } finally {
      for (const server of [first, second]) await server.stop('SIGQUIT')
      for (const cluster of [primary, standby]) cluster.remove()
    }
  })
})
