import { describe, expect, onTestFinished, test } from 'vitest'
import { createSealer } from '#main/storage/local/secrets.ts'
import { openPostgresConfig } from '#main/storage/postgres/config-store.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { exportRows } from '#main/storage/postgres/export-rows.ts'
import { importRows } from '#main/storage/postgres/import-rows.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { keyNamed, now, sealer, withOneOfEach } from '../config-fixtures.ts'
import { batchesOf, collect, describeRows } from '../rows-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

async function openStore(url: string, key = sealer) {
  const node = await openNode(url)
  onTestFinished(node.close)
  const store = await openPostgresConfig({ ...node, sealer: key, clock: () => now })
  onTestFinished(store.close)
  return store
}

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeRows('a database', async () => {
    const connect = connectorTo(await emptyDatabase())
    return {
      import: batches => importRows(connect, batches),
      export: () => exportRows(connect),
      close: async () => {},
    }
  })

  test('rows are taken by an empty database alone, as a whole', async () => {
    const url = await emptyDatabase()
    const connect = connectorTo(url)
    async function* cut() {
      yield { log: [{ newestSeq: 5 }] }
      throw new Error('The file is cut.')
    }
    await expect(importRows(connect, cut())).rejects.toThrow('The file is cut.')
    expect(await query(url, 'SELECT newest_seq FROM event_log')).toEqual([{ newest_seq: '-1' }])
    await openStore(url)
    await expect(importRows(connect, batchesOf({}))).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  test('a configuration that was taken opens with its own key', async () => {
    const url = await emptyDatabase()
    const first = await openStore(url)
    await first.update(config => ({ next: withOneOfEach(config), result: null }))
    const { rows } = await collect(exportRows(connectorTo(url)))
    const before = first.snapshot()
    await first.close()
    await importRows(connectorTo(await emptyDatabase()), batchesOf(rows))
    await expect(openStore(url, createSealer(keyNamed('another')))).rejects.toMatchObject({
      code: 'wrong_key',
    })
    expect((await openStore(url)).snapshot()).toEqual(before)
  })
})
