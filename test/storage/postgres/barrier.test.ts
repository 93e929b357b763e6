import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Config } from '#main/storage/config.ts'
import { openPostgresStores } from '#main/storage/postgres/open-stores.ts'
import type { Storage, StorageOptions } from '#main/storage/storage.ts'
import { startCuttableProxy } from '../../support/cuttable-proxy.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { newFolder, sealer, withBodyLimit } from '../config-fixtures.ts'
import { emptyDatabase } from './open-database.ts'

type Stores = Awaited<ReturnType<typeof openPostgresStores>>

async function open(url: string, lanesOf: StorageOptions['lanesOf'] = () => []): Promise<Stores> {
  const stores = await openPostgresStores({
    uploadsFolder: await mkdtemp(join(await newFolder(), 'uploads-')),
    ...{ url, sealer, clock: Date.now, historyBounds: {}, lanesOf, onError() {} },
  })
  onTestFinished(stores.close)
  return stores
}

/** Creates a user of a database who may do what its owner may. Returns the name. */
async function newRole(url: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await query(
    url,
    `CREATE ROLE ${name} LOGIN; GRANT ALL ON SCHEMA public TO ${name};
      GRANT ALL ON ALL TABLES IN SCHEMA public TO ${name}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${name}`,
  )
  onTestFinished(async () => {
    await query(url, `DROP OWNED BY ${name}; DROP ROLE ${name}`)
  })
  return name
}

/** A connection that holds a lock until `release`. */
async function lock(url: string, sql: string) {
  const client = new Client(url)
  await client.connect()
  const release = () => client.end()
  onTestFinished(release)
  await client.query(`BEGIN; ${sql}`)
  return { release }
}

function startOne({ runs, clock }: Pick<Storage, 'runs' | 'clock'>) {
  const shared = { workflowId: 'wf_a', workspaceId: 'default', connectionId: null, lane: 'wf_a' }
  return runs.start([{ ...shared, queuedAt: clock(), summary: '{}', data: '{}' }], null)
}

const set = (bytes: number) => (config: Config) => ({ next: withBodyLimit(config, bytes), result: null })
const bytesOf = ({ config }: Stores) => config.snapshot().settings.maxBodyBytes
const versionOf = async (url: string) => {
  const [head] = await query(url, 'SELECT version::int FROM config_head')
  return z.object({ version: z.int() }).parse(head).version
}

/** The start of a query for the connections that wait for a lock with a statement that is like what follows. */
const waits = `SELECT pid FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE`

describe.skipIf(noPostgres !== null)('a change of the configuration', () => {
  it('is in effect on all nodes when it is answered', async () => {
    const url = await emptyDatabase()
    const nodes = [await open(url), await open(url), await open(url)]
    for (const [index, node] of nodes.entries()) {
      await node.config.update(set(2048 + index))
      expect(nodes.map(bytesOf)).toEqual(nodes.map(() => 2048 + index))
    }
  })

  it('takes effect together with the limits of its lanes', async () => {
    const url = await emptyDatabase()
    const a = await open(url, ({ settings }) => [['wf_a', settings.maxBodyBytes]])
    const before = await versionOf(url)
    const lanes = await lock(url, 'LOCK TABLE lane IN SHARE MODE')
    const changed = a.config.update(set(4096))
    await expect.poll(() => query(url, `${waits} '%INTO lane%'`)).toHaveLength(1)
    expect([await versionOf(url), bytesOf(a) === 4096]).toEqual([before, false])
    await lanes.release()
    await changed
    expect(await query(url, "SELECT most FROM lane WHERE lane = 'wf_a'")).toEqual([{ most: 4096 }])
  })

  it('is answered although a node hangs, which does nothing by then', async () => {
    const url = await emptyDatabase()
    const proxy = await startCuttableProxy(url)
    const throughProxy = new URL(url)
    throughProxy.port = new URL(proxy.url).port
    const a = await open(url)
    const b = await open(throughProxy.href)
    await startOne(b)
    proxy.hang()
    await a.config.update(set(4096))
    expect(bytesOf(b)).not.toBe(4096)
    expect(b.outage()).not.toBe(null)
    await expect(startOne(b)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await b.runs.claim(10, 1000)).runs).toEqual([])
    proxy.flow()
    await expect.poll(() => b.outage()).toBe(null)
    expect(bytesOf(b)).toBe(4096)
    // Until the others know that it follows the change.
    const starts = () =>
      startOne(b).then(
        () => true,
        () => false,
      )
    await expect.poll(starts).toBe(true)
  })

  it('waits for the others although a connection of its node ends meanwhile', async () => {
    const url = await emptyDatabase()
    const [a, b] = [await open(url), await open(url)]
    const before = await versionOf(url)
    // The other knows nothing of it, and nobody is told whether it does.
    const parts = await lock(url, 'LOCK TABLE config_part IN EXCLUSIVE MODE')
    let isAnswered = false
    const changed = a.config.update(set(4096)).then(() => {
      isAnswered = true
    })
    await expect.poll(() => query(url, `${waits} '%INTO config_part%'`)).toHaveLength(1)
    const nodes = await lock(url, 'LOCK TABLE node')
    await parts.release()
    await expect.poll(() => versionOf(url)).toBe(before + 1)
    const asking = `${waits} '%config_version < $1%'`
    await expect.poll(() => query(url, asking)).toHaveLength(1)
    expect(await query(url, `SELECT pg_terminate_backend(pid) FROM (${asking}) AS asking`)).toHaveLength(1)
    await expect.poll(() => query(url, asking)).toHaveLength(1)
    expect(isAnswered).toBe(false)
    await nodes.release()
    await changed
    expect(bytesOf(b)).toBe(4096)
  })

  it('is answered although a node cannot read it, which does nothing by then', async () => {
    const url = await emptyDatabase()
    const a = await open(url)
    const role = await newRole(url)
    const b = await open(Object.assign(new URL(url), { username: role }).href)
    await startOne(b)
    await query(url, `REVOKE ALL ON config_head FROM ${role}`)
    await a.config.update(set(4096))
    // Its heartbeats go on, and say what it follows.
    const listed = await b.nodes.list()
    const versionOfB = listed.find(({ isThis }) => isThis)?.configVersion
    expect(listed.map(({ configVersion }) => configVersion === versionOfB)).toEqual([false, true])
    expect((await a.nodes.list()).map(({ state }) => state)).toEqual(['unready', 'unready'])
    expect([bytesOf(b) === 4096, b.outage() === null]).toEqual([false, false])
    await expect(startOne(b)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await b.runs.claim(10, 1000)).runs).toEqual([])
    await query(url, `GRANT ALL ON config_head TO ${role}`)
    await expect.poll(() => b.outage()).toBe(null)
    expect(bytesOf(b)).toBe(4096)
  })

  it('waits for a node that has joined, and is about to read', async () => {
    const url = await emptyDatabase()
    const a = await open(url)
    // Keeps the other from coming to its configuration.
    const { release } = await lock(url, 'LOCK TABLE event')
    const opening = open(url)
    await expect.poll(() => query(url, 'SELECT config_version::int FROM node ORDER BY slot')).toHaveLength(2)
    const before = await versionOf(url)
    let isAnswered = false
    const changed = a.config.update(set(4096)).then(() => {
      isAnswered = true
    })
    await expect.poll(() => versionOf(url)).toBe(before + 1)
    await a.nodes.list()
    expect(isAnswered).toBe(false)
    await release()
    const b = await opening
    await changed
    expect(bytesOf(b)).toBe(4096)
  })

  it('can begin only after a node that reads the configuration has joined', async () => {
    const url = await emptyDatabase()
    await open(url)
    const { release } = await lock(url, 'SELECT FROM config_head FOR UPDATE')
    const opening = open(url)
    const reads = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await expect.poll(() => query(url, reads)).toHaveLength(1)
    expect(await query(url, 'SELECT config_version::int FROM node ORDER BY slot')).toMatchObject([
      {},
      { config_version: 0 },
    ])
    await release()
    await opening
  })
})
