import { describe, expect, onTestFinished, test } from 'vitest'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { type ConfigDiff, diffConfig } from '#main/storage/config-diff.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { writeLimits } from '#main/storage/postgres/claims.ts'
import { openPostgresConfig, type PostgresConfigOptions } from '#main/storage/postgres/config-store.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import type { StorageOptions } from '#main/storage/storage.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import {
  canaries,
  exampleConnection,
  keyNamed,
  now,
  sealer,
  withBodyLimit,
  withConnections,
  withOneOfEach,
} from '../config-fixtures.ts'
import { describeConfigStore } from '../config-store-contract.ts'
import { describeLanes } from '../lanes-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

type Node = Awaited<ReturnType<typeof openNode>>
type Options = Partial<PostgresConfigOptions>

async function openOn(node: Node, options: Options = {}) {
  const { pool, signals, onError } = node
  const given = { pool, signals, onError, sealer, clock: () => now, ...options }
  const store = await openPostgresConfig(given)
  onTestFinished(store.close)
  return store
}

async function openTemporary(url: string, options?: Options) {
  const node = await openNode(url)
  onTestFinished(node.close)
  return { node, store: await openOn(node, options) }
}

/** Opens the configuration of an empty database on two nodes. */
async function openTwo() {
  const url = await emptyDatabase()
  const [a, b] = [await openTemporary(url), await openTemporary(url)]
  return { url, a: a.store, b: b.store, nodes: [a.node, b.node] as const }
}

const set = (bytes: number) => (config: Config) => ({ next: withBodyLimit(config, bytes), result: null })
const only =
  (...records: ConnectionRecord[]) =>
  (config: Config) => ({
    next: { ...config, connections: new Map(records.map(record => [record.connectionId, record])) },
    result: null,
  })
const records = (...ids: string[]) => ids.map(id => exampleConnection(`conn_${id}`))

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeConfigStore('the configuration', async () => {
    const url = await emptyDatabase()
    const { node, store } = await openTemporary(url)
    return {
      ...{ store, errors: node.errors },
      second: async () => (await openTemporary(url)).store,
      reopen: async () => {
        await store.close()
        return (await openTemporary(url)).store
      },
    }
  })

  describeLanes('the limits of lanes', async ({ lanesOf }) => {
    const url = await emptyDatabase()
    const opened: (() => Promise<unknown>)[] = []
    let isClosing = false
    /** A node may learn of an update while it closes; those tests look at how one opens. */
    const limitsOf: typeof lanesOf = (...change) => (isClosing ? [] : lanesOf(...change))
    const openPart = async (number: number) => {
      const node = await openNode(url)
      const part = await openWithRuns(node, number, limitsOf)
      opened.push(part.close, node.close)
      return part
    }
    const openAll = async () => [await openPart(1), await openPart(2)] as const
    const closeAll = async () => {
      isClosing = true
      for (const close of opened.splice(0)) await close()
      isClosing = false
    }
    return {
      handles: await openAll(),
      reopen: async () => {
        await closeAll()
        return openAll()
      },
      dispose: closeAll,
    }
  })

  async function openWithRuns(node: Node, number: number, lanesOf: StorageOptions['lanesOf']) {
    const { connect, pool, onError } = node
    const events = await openPostgresEvents({ connect, pool, slot: () => number, clock: Date.now, onError })
    const withRuns = (await events.runs.laneCounts()).map(({ lane }) => lane)
    const config = await openPostgresConfig({
      ...{ pool, signals: node.signals, onError, sealer, clock: Date.now },
      applyWith: (connection, next, diff) => writeLimits(connection, lanesOf(next, diff)),
      onApplied: (next, diff) => events.noteLanes(lanesOf(next, diff)),
    })
    await events.setLanes(lanesOf(config.snapshot(), null, withRuns))
    return {
      ...{ config, runs: events.runs, clock: Date.now },
      close: async () => {
        await config.close()
        await events.close()
      },
    }
  }
})

describe.skipIf(noPostgres !== null)('the configuration of two nodes', () => {
  test('changes on the other one too, in all of its parts', async () => {
    const { a, b } = await openTwo()
    await a.update(config => ({ next: withOneOfEach(config), result: null }))
    await expect.poll(() => b.snapshot()).toEqual(a.snapshot())
    for (const part of Object.values(b.snapshot())) expect(Object.isFrozen(part)).toBe(true)
    await b.update(set(2000))
    await expect.poll(() => a.snapshot()).toEqual(b.snapshot())
    expect(a.known().version).toBe(3)
  })

  test('is changed on both at once, each on the result of the other', async () => {
    const { a, b } = await openTwo()
    const add = (config: Config) => {
      const { maxBodyBytes } = config.settings
      return { next: withBodyLimit(config, maxBodyBytes + 1), result: maxBodyBytes }
    }
    const seen = await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 2 ? a : b).update(add)))
    const first = Math.min(...seen)
    expect(seen.toSorted((one, two) => one - two)).toEqual(Array.from({ length: 60 }, (_, n) => first + n))
    await expect.poll(() => a.snapshot().settings.maxBodyBytes).toBe(first + 60)
  })

  test('announces what the other one has changed as diffs that form a chain', async () => {
    const { a, b } = await openTwo()
    const heard: [next: Config, previous: Config, diff: ConfigDiff][] = []
    const [one, two, three] = records('1', '2', '3')
    if (one === undefined || two === undefined || three === undefined) throw new Error('There are three.')
    await a.update(only(one, two))
    await expect.poll(() => b.snapshot().connections.size).toBe(2)
    let last = b.snapshot()
    const [kept] = last.connections.values()
    b.onChange((...change) => heard.push(change))
    await a.update(only(three, one, { ...two, name: 'Renamed' }))
    await expect.poll(() => b.snapshot()).toEqual(a.snapshot())
    for (const [next, previous, diff] of heard) {
      expect(previous).toBe(last)
      expect(diff).toEqual(diffConfig(previous, next))
      last = next
    }
    expect(last).toBe(b.snapshot())
    expect([...last.connections.keys()]).toEqual(['conn_3', 'conn_1', 'conn_2'])
    expect(last.connections.get('conn_1')).toBe(kept)
  })

  test('keeps the order of records on both, also when there is no room between two places', async () => {
    const { url, a, b } = await openTwo()
    let present = records('first', 'last')
    await a.update(only(...present))
    for (let index = 0; index < 60; index++) {
      const [node, other] = index % 2 ? [a, b] : [b, a]
      present = present.toSpliced(1, 0, exampleConnection(`conn_${index}`))
      await node.update(only(...present))
      if (index % 20 === 0) await expect.poll(() => other.snapshot().connections.size).toBe(present.length)
    }
    const ids = present.map(({ connectionId }) => connectionId)
    for (const node of [a, b, (await openTemporary(url)).store])
      await expect.poll(() => [...node.snapshot().connections.keys()]).toEqual(ids)
  })

  test('knows what was removed, also if a node has not looked for a day', async () => {
    const url = await emptyDatabase()
    const { store: a } = await openTemporary(url)
    // It looks once a second, and by then the rows of what was removed are gone.
    const { store: b } = await openTemporary(url, { signals: { on: () => () => {} } })
    const [one, two] = records('1', '2')
    if (one === undefined || two === undefined) throw new Error('There are two.')
    await a.update(only(one, two))
    await expect.poll(() => b.snapshot().connections.size).toBe(2)
    const kept = b.snapshot().connections.get('conn_2')
    await a.update(only(two))
    const { store: c } = await openTemporary(url, { clock: () => now + 25 * 3_600_000 })
    await c.update(set(2000))
    expect(await query(url, 'SELECT id FROM config_part WHERE doc IS NULL')).toEqual([])
    await expect.poll(() => b.snapshot()).toEqual(c.snapshot())
    expect(b.snapshot().connections.get('conn_2')).toBe(kept)
  })

  test('is stored without a credential in plain, and opens with no other key', async () => {
    const { url, a } = await openTwo()
    await a.update(config => ({ next: withOneOfEach(config), result: null }))
    const stored = JSON.stringify(await query(url, 'SELECT * FROM config_part'))
    expect(canaries.filter(text => stored.includes(text))).toEqual([])
    const other = { sealer: createSealer(keyNamed('another')) }
    await expect(openTemporary(url, other)).rejects.toMatchObject({
      code: 'wrong_key',
      message: expect.stringContaining('All services on a database need the same key.'),
    })
  })

  test('an update fails as a whole, and changes nothing, while the database cannot be written', async () => {
    const { store, node } = await openTemporary(await emptyDatabase())
    await node.pool.query('ALTER TABLE config_head RENAME TO away')
    await expect(store.update(set(2000))).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(store.snapshot().settings.maxBodyBytes).toBe(1_048_576)
    await node.pool.query('ALTER TABLE away RENAME TO config_head')
    await store.update(set(3000))
    expect(store.snapshot().settings.maxBodyBytes).toBe(3000)
  })

  test('is that of the database after another server, which had missed changes, has taken over', async () => {
    const { url, a, b } = await openTwo()
    const [one, two, three] = records('1', '2', '3')
    if (one === undefined || two === undefined || three === undefined) throw new Error('There are three.')
    await a.update(only(one, two))
    const rows = `ARRAY(SELECT p FROM config_part AS p)`
    await query(url, `CREATE TABLE kept AS SELECT version, ${rows} AS rows FROM config_head`)
    const before = a.snapshot()
    await a.update(only({ ...one, name: 'Other' }, three))
    await expect.poll(() => b.snapshot()).toEqual(a.snapshot())
    await query(
      url,
      `DELETE FROM config_part; INSERT INTO config_part SELECT (unnest(rows)).* FROM kept;
        UPDATE config_head SET version = kept.version FROM kept`,
    )
    // On a node that may not have looked meanwhile.
    await a.update(set(2000))
    expect(a.snapshot().connections).toEqual(before.connections)
    await expect.poll(() => b.snapshot()).toEqual(a.snapshot())
    const { store: c } = await openTemporary(url)
    expect(c.snapshot()).toEqual(a.snapshot())
    await query(
      url,
      `TRUNCATE config_part; INSERT INTO config_part SELECT (unnest(rows)).* FROM kept;
      UPDATE config_head SET version = kept.version FROM kept`,
    )
    await expect.poll(() => [a, b, c].map(store => store.snapshot())).toEqual([before, before, before])
  })

  test('is read further while an update waits for other nodes', async () => {
    const url = await emptyDatabase()
    const released = Promise.withResolvers<void>()
    const { store: a } = await openTemporary(url, { confirmed: () => released.promise })
    const { store: b } = await openTemporary(url)
    const update = a.update(set(2000))
    await expect.poll(() => b.snapshot().settings.maxBodyBytes).toBe(2000)
    await b.update(set(3000))
    await expect.poll(() => a.snapshot().settings.maxBodyBytes).toBe(3000)
    released.resolve()
    await update
  })

  test('tells that all nodes have a change only when they do', async () => {
    const url = await emptyDatabase()
    const released = Promise.withResolvers<void>()
    const { store: a } = await openTemporary(url, { confirmed: () => released.promise })
    const { store: b } = await openTemporary(url, { confirmed: () => released.promise })
    const told: string[] = []
    a.everywhere.subscribe(() => told.push('a'))
    b.everywhere.subscribe(() => told.push('b'))
    const update = a.update(set(2000)).then(() => told.push('answer'))
    await expect.poll(() => b.snapshot().settings.maxBodyBytes).toBe(2000)
    expect([...told, a.everywhere.count(), b.everywhere.count()]).toEqual([0, 0])
    released.resolve()
    await update
    await expect.poll(() => told.toSorted()).toEqual(['a', 'answer', 'b'])
    expect(told.indexOf('a')).toBeLessThan(told.indexOf('answer'))
  })

  test('writes only what changes, with the sealed texts that it has', async () => {
    const { url, a, b } = await openTwo()
    const [one, two] = records('1', '2')
    if (one === undefined || two === undefined) throw new Error('There are two.')
    await a.update(config => ({ next: withConnections(config, one, two), result: null }))
    await expect.poll(() => b.snapshot().connections.size).toBe(2)
    const sealed = () =>
      query(
        url,
        `SELECT substring(doc FROM '"signingSecret":"[^"]+') AS text FROM config_part WHERE id = 'conn_1'`,
      )
    const before = await sealed()
    await b.update(config => {
      const [known = one] = config.connections.values()
      return { next: withConnections(config, { ...known, name: 'Renamed' }), result: null }
    })
    expect(await query(url, 'SELECT id FROM config_part WHERE version = 3')).toEqual([{ id: 'conn_1' }])
    expect(await sealed()).toEqual(before)
  })
})
