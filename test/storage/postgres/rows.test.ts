import { describe, expect, onTestFinished, test } from 'vitest'
import { createSealer } from '#main/storage/local/secrets.ts'
import { openPostgresConfig } from '#main/storage/postgres/config-store.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { exportRows } from '#main/storage/postgres/export-rows.ts'
import { importRows } from '#main/storage/postgres/import-rows.ts'
import { joinNodes, type Node } from '#main/storage/postgres/node.ts'
import { eventually } from '../../support/eventually.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { keyNamed, now, sealer, withOneOfEach } from '../config-fixtures.ts'
import { batchesOf, collect, configRows, describeRows } from '../rows-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

/** A configuration with one of each record, as a storage exports it. */
const config = configRows()
const [head = { part: 'head', json: '{}' }] = config
const entryOf = (name: string): Record<string, unknown> =>
  JSON.parse(config.find(({ part }) => part === name)?.json ?? '')

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
    const node = await openNode(url)
    onTestFinished(node.close)
    const joined = await joinNodes(node.pool, {
      id: 'a',
      name: 'a',
      version: '1',
      clock: Date.now,
      onError: node.onError,
    })
    await expect(importRows(connect, batchesOf({}))).rejects.toMatchObject({ code: 'data_in_use' })
    await joined.leave()
    await openStore(url)
    await expect(importRows(connect, batchesOf({}))).rejects.toMatchObject({ code: 'database_not_empty' })
  })

  test('a service that starts meanwhile waits for the rows', async () => {
    const url = await emptyDatabase()
    const node = await openNode(url)
    onTestFinished(node.close)
    const joined = Promise.withResolvers<Node>()
    async function* rows() {
      yield { config }
      joinNodes(node.pool, { id: 'a', name: 'a', version: '1', clock: Date.now, onError: node.onError }).then(
        joined.resolve,
        joined.reject,
      )
      // Only in this database: other files use the same server.
      const waiting = `SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`
      await eventually(async () => expect(await query(url, waiting)).toHaveLength(1))
    }
    await importRows(connectorTo(url), rows())
    await (await joined.promise).leave()
    expect(await query(url, 'SELECT version FROM config_head')).toEqual([{ version: '1' }])
  })

  test('records get the fields that this version has added, and lose those that it does not know', async () => {
    const connect = connectorTo(await emptyDatabase())
    const { removedWebhooks: _, ...workspace } = entryOf('workspaces')
    await importRows(
      connect,
      batchesOf({
        config: [head, { part: 'workspaces', json: JSON.stringify({ ...workspace, unknown: true }) }],
      }),
    )
    const { rows } = await collect(exportRows(connect))
    expect(rows.config?.map(({ json }): unknown => JSON.parse(json))).toEqual([
      JSON.parse(head.json),
      entryOf('workspaces'),
    ])
  })

  test('the last use of a client token is taken, and given with later uses', async () => {
    const url = await emptyDatabase()
    const connect = connectorTo(url)
    const unused = { ...entryOf('clientTokens'), tokenId: 'tok_2' }
    const used = { ...entryOf('clientTokens'), lastUsedAt: new Date(now).toISOString() }
    const tokens = [used, unused].map(one => ({ part: 'clientTokens' as const, json: JSON.stringify(one) }))
    await importRows(connect, batchesOf({ config: [head, ...tokens] }))
    expect(await query(url, 'SELECT * FROM token_use')).toEqual([{ token: 'tok_1', at: String(now) }])

    const given = async () => {
      const { rows } = await collect(exportRows(connect))
      return rows.config?.slice(1).map(({ json }): unknown => JSON.parse(json))
    }
    expect(await given()).toEqual([used, unused])
    await query(url, 'UPDATE token_use SET at = at + 1')
    await query(url, "INSERT INTO token_use VALUES ('tok_2', $1)", [now])
    const at = (ms: number) => new Date(now + ms).toISOString()
    expect(await given()).toEqual([
      { ...used, lastUsedAt: at(1) },
      { ...unused, lastUsedAt: at(0) },
    ])
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
