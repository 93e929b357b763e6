import { describe, expect, onTestFinished, test } from 'vitest'
import type { Config } from '#main/storage/config.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { openPostgresConfig } from '#main/storage/postgres/config-store.ts'
import { eventually } from '../../support/eventually.ts'
import { noPostgres } from '../../support/postgres.ts'
import {
  exampleConnection,
  keyNamed,
  now,
  sealer,
  withBodyLimit,
  withConnections,
  withOneOfEach,
} from '../config-fixtures.ts'
import { describeConfigStore } from '../config-store-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

async function openOn(url: string) {
  const node = await openNode(url)
  const store = await openPostgresConfig({ ...node, sealer, clock: () => now })
  onTestFinished(async () => {
    await store.close()
    await node.close()
  })
  return { store, errors: node.errors, pool: node.pool }
}

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeConfigStore('the configuration', async () => {
    const url = await emptyDatabase()
    const { store, errors } = await openOn(url)
    return {
      ...{ store, errors },
      reopen: async () => {
        await store.close()
        return (await openOn(url)).store
      },
    }
  })

  const set = (maxBodyBytes: number) => (config: Config) => ({
    next: withBodyLimit(config, maxBodyBytes),
    result: null,
  })

  test('another node gets each change, in its place, and keeps the objects of what has not changed', async () => {
    const url = await emptyDatabase()
    const [{ store: a }, { store: b }] = [await openOn(url), await openOn(url)]
    await a.update(config => ({ next: withOneOfEach(config), result: null }))
    await eventually(() => expect(b.snapshot()).toEqual(a.snapshot()))
    const before = b.snapshot()
    const heard: number[] = []
    b.onChange((_next, _previous, { connections }) => heard.push(connections.length))
    const [one, two] = [exampleConnection('conn_one'), exampleConnection('conn_two')]
    await a.update(config => ({ next: withConnections(config, one), result: null }))
    await a.update(({ connections, ...config }) => ({
      next: { ...config, connections: new Map([[two.connectionId, two], ...connections]) },
      result: null,
    }))
    await eventually(() => expect(b.snapshot()).toEqual(a.snapshot()))
    expect([...b.snapshot().connections.keys()]).toEqual([...a.snapshot().connections.keys()])
    for (const [id, record] of before.connections) expect(b.snapshot().connections.get(id)).toBe(record)
    expect(heard.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1)
    await a.update(config => ({ next: { ...config, connections: new Map() }, result: null }))
    await eventually(() => expect(b.snapshot().connections.size).toBe(0))
  })

  test('updates of two nodes at once all count', async () => {
    const url = await emptyDatabase()
    const [{ store: a }, { store: b }] = [await openOn(url), await openOn(url)]
    await a.update(set(2000))
    const add = (config: Config) => set(config.settings.maxBodyBytes + 1)(config)
    await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? a : b).update(add)))
    await eventually(() => {
      for (const store of [a, b]) expect(store.snapshot().settings.maxBodyBytes).toBe(2100)
    })
  })

  test('an update fails as a whole, and changes nothing, while the database cannot be written', async () => {
    const { store, pool } = await openOn(await emptyDatabase())
    await pool.query('ALTER TABLE config_head RENAME TO away')
    await expect(store.update(set(2000))).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(store.snapshot().settings.maxBodyBytes).toBe(1_048_576)
    await pool.query('ALTER TABLE away RENAME TO config_head')
    await store.update(set(3000))
    expect(store.snapshot().settings.maxBodyBytes).toBe(3000)
  })

  test('no credential is stored in plain, and another key is refused', async () => {
    const url = await emptyDatabase()
    const { store, pool } = await openOn(url)
    await store.update(config => ({ next: withOneOfEach(config), result: null }))
    const rows = await pool.query('SELECT doc FROM config_part')
    expect(rows.length).toBeGreaterThan(6)
    expect(JSON.stringify(rows)).not.toContain('canary')
    const node = await openNode(url)
    const other = createSealer(keyNamed('another'))
    await expect(openPostgresConfig({ ...node, sealer: other, clock: () => now })).rejects.toMatchObject({
      code: 'wrong_key',
    })
    await node.close()
  })
})
