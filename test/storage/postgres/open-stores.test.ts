import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { slotOf } from '#main/storage/postgres/ids.ts'
import { storesTogether } from '#main/storage/postgres/migrate.ts'
import { openPostgresStores } from '#main/storage/postgres/open-stores.ts'
import type { Storage, StorageOptions } from '#main/storage/storage.ts'
import { startHangingProxy } from '../../bench/support/hanging-proxy.ts'
import { createCluster, noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { newFolder, sealer } from '../config-fixtures.ts'
import { describeIds } from '../ids-contract.ts'
import { describeLanes } from '../lanes-contract.ts'
import { emptyDatabase } from './open-database.ts'

/** Opens an empty database on two nodes. */
async function openTwo(options: Partial<Pick<StorageOptions, 'clock' | 'lanesOf'>>) {
  const url = await emptyDatabase()
  const errors: unknown[] = []
  const folder = await newFolder()
  const open = async () =>
    openPostgresStores({
      uploadsFolder: await mkdtemp(join(folder, 'uploads-')),
      ...{ url, sealer, clock: Date.now, historyBounds: {}, lanesOf: () => [] },
      onError: error => errors.push(error),
      ...options,
    })
  let handles = [await open(), await open()] as const
  return {
    ...{ url, handles, errors, open },
    async reopen() {
      for (const one of handles) await one.close()
      handles = [await open(), await open()]
      return handles
    },
    async dispose() {
      for (const one of handles) await one.close()
    },
  }
}

function startOne({ runs, clock }: Pick<Storage, 'runs' | 'clock'>) {
  const shared = { workflowId: 'wf_a', workspaceId: 'default', connectionId: null, lane: 'wf_a' }
  return runs.start([{ ...shared, queuedAt: clock(), summary: '{}', data: '{}' }], null)
}

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeIds('a database', openTwo)
  describeLanes('a database', openTwo)

  it('tells a node of the runs that change on another one', async () => {
    const { handles, dispose } = await openTwo({})
    onTestFinished(dispose)
    const [a, b] = handles
    const heard: (string | null)[] = []
    b.runs.changes.subscribe(runId => heard.push(runId))
    const { ids } = await startOne(a)
    await expect.poll(() => heard).toContain(null)
    await a.runs.cancel(ids[0] ?? '', { endedAt: a.clock(), discard: false })
    await expect.poll(() => heard).toContain(ids[0])
  })

  it('stores runs together as soon as no older program may use the database', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [{ runs, nodes, clock }] = handles
    const shared = { workspaceId: 'default', connectionId: null, summary: '{}', data: '{}' }
    const start = async () => {
      await nodes.list()
      await runs.start([{ ...shared, workflowIds: ['wf_a', 'wf_b'], queuedAt: clock() }], null)
      return (await query(url, 'SELECT FROM fan_out')).length
    }
    await query(url, 'UPDATE meta SET oldest_program = 1')
    expect(await start()).toBe(0)
    await query(url, `UPDATE meta SET oldest_program = ${storesTogether}`)
    expect(await start()).toBe(1)
    expect((await runs.list({ limit: 10 })).runs).toHaveLength(4)
  })

  it('neither accepts nor claims while it cannot know the configuration', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [a, b] = handles
    await startOne(b)
    await query(url, 'ALTER TABLE config_head RENAME TO away')
    await expect.poll(() => a.outage()).not.toBe(null)
    await expect(startOne(a)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await a.runs.claim(10, 1000)).runs).toEqual([])
    await query(url, 'ALTER TABLE away RENAME TO config_head')
    await expect.poll(() => a.outage()).toBe(null)
    await startOne(a)
    expect((await a.runs.claim(10, 1000)).runs).toHaveLength(1)
  })

  it('accepts and claims while many wait for what takes long to read', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [a] = handles
    const client = new Client(url)
    await client.connect()
    await client.query('BEGIN; LOCK TABLE conversation')
    const reads = Array.from({ length: 8 }, () =>
      a.conversations.list({ limit: 1 }).then(
        () => null,
        error => error.code,
      ),
    )
    await expect(reads[0]).resolves.toBe('storage_unavailable')
    expect(a.outage()).toBe(null)
    await startOne(a)
    expect((await a.runs.claim(10, 1000)).runs).toHaveLength(1)
    await client.end()
    await Promise.all(reads)
  })

  it('closes soon while the database does not end a deletion', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [a] = handles
    const client = new Client(url)
    await client.connect()
    await client.query('BEGIN; LOCK TABLE event')
    a.events.setRetention('conn_a', { maxEvents: 1, maxDays: 1 })
    const waits = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await expect.poll(() => query(url, waits)).toHaveLength(1)
    await a.close()
    await client.end()
  })

  it('waits for a silent network once, not with each statement, when it stops', async () => {
    const url = await emptyDatabase()
    const { port } = new URL(url)
    const proxy = await startHangingProxy(Number(port))
    onTestFinished(proxy.close)
    const node = await openPostgresStores({
      ...{ sealer, clock: Date.now, historyBounds: {}, lanesOf: () => [], onError: () => {} },
      ...{ url: url.replace(`:${port}/`, `:${proxy.port}/`), uploadsFolder: await newFolder() },
    })
    proxy.hang(['to the server', 'to the node'])
    await node.nodes.drain()
    for (let read = 0; read < 10; read++)
      await expect(node.runs.laneCounts()).rejects.toMatchObject({ code: 'storage_unavailable' })
    await node.close()
  })

  it('stops a node whose slot was taken, until it has another one', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [a] = handles
    const hour = '(extract(epoch FROM now()) * 1000)::bigint + 3600000'
    // First those that it could take instead.
    await query(
      url,
      `INSERT INTO node SELECT s, 'other', ${hour}, 9 FROM generate_series(2, 31) AS s ON CONFLICT DO NOTHING`,
    )
    await query(url, `UPDATE node SET name = 'other', seen_at = ${hour} WHERE slot = 0`)
    await expect.poll(() => a.outage()).not.toBe(null)
    await expect(startOne(a)).rejects.toMatchObject({ code: 'unavailable' })
    await query(url, 'DELETE FROM node WHERE slot = 7')
    await expect.poll(() => a.outage()).toBe(null)
    expect(Math.floor((a.ids.event() % 1024) / 32)).toBe(7)
    await startOne(a)
  })

  it('lets two nodes share one database, each with a slot of its own', async () => {
    const { handles, errors, dispose, open } = await openTwo({})
    onTestFinished(dispose)
    const [a, b] = handles
    expect([a, b].map(({ ids }) => slotOf(ids.event()))).toEqual([0, 1])
    await a.close()
    const again = await open()
    // Not the one that was just given back: a number of it may be from a clock that was ahead.
    expect(slotOf(again.ids.event())).toBe(2)
    expect(again.outage()).toBe(null)
    await again.close()
    expect(errors).toEqual([])
  })

  it('refuses to accept with ids of more than a second from now, until their time has come', async () => {
    const { handles, dispose, url, open } = await openTwo({})
    onTestFinished(dispose)
    const openAfter = async (ms: number) => {
      await query(url, 'UPDATE event_log SET newest_seq = $1', [ms * 1024])
      const late = await open()
      onTestFinished(late.close)
      return late
    }
    const far = await openAfter(handles[0].clock() + 600_000)
    await expect(startOne(far)).rejects.toMatchObject({ code: 'unavailable' })
    expect(far.outage()).toBe(null)
    await startOne(handles[0])
    const ahead = handles[0].clock() + 3000
    const near = await openAfter(ahead)
    await expect.poll(() => startOne(near).catch(() => null)).not.toBeNull()
    expect(near.clock()).toBeGreaterThan(ahead - 1000)
  })

  it('says why it cannot be opened, and nothing else', async () => {
    const { handles, errors, dispose, url, open } = await openTwo({})
    onTestFinished(dispose)
    for (const one of handles) await one.close()
    await query(url, 'ALTER TABLE config_head RENAME TO away')
    await expect(open()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(errors).toEqual([])
  })

  it('says which session holds a lock that the start needs', async () => {
    const { handles, errors, dispose, url, open } = await openTwo({})
    onTestFinished(dispose)
    const holder = new Client({ connectionString: url, application_name: 'a long script' })
    await holder.connect()
    onTestFinished(() => holder.end())
    for (const one of handles) await one.close()
    const { rows } = await holder
      .query('BEGIN; LOCK TABLE node; SELECT pg_backend_pid() AS pid')
      .then(results => [results].flat().at(-1) ?? { rows: [] })
    await expect(open()).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(`process id ${rows[0].pid} (role postgres, program a long script)`),
    })
    expect(errors).toEqual([])
  })

  it('goes to a standby that was promoted while the primary still works, and accepts there', async () => {
    const cluster = createCluster()
    let first = await cluster.start()
    await first.stop()
    const standby = cluster.standbyOf(`host=127.0.0.1 port=${first.port} user=postgres`)
    first = await cluster.start({}, first.port)
    const second = await standby.start()
    const errors: unknown[] = []
    const node = await openPostgresStores({
      ...{ sealer, clock: Date.now, historyBounds: {}, lanesOf: () => [], uploadsFolder: await newFolder() },
      url: first.url().replace(/:(\d+)/, `:$1,127.0.0.1:${second.port}`),
      onError: error => errors.push(error),
    })
    try {
      await startOne(node)
      const runs = (server: { url(): string }) => query(server.url(), 'SELECT FROM run')
      await expect.poll(() => runs(second)).toHaveLength(1)
      await query(second.url(), 'SELECT pg_promote()')
      await expect
        .poll(async () => {
          await startOne(node).catch(() => {})
          return (await runs(second)).length
        })
        .toBeGreaterThan(1)
      const before = await runs(first)
      await startOne(node)
      expect(await runs(first)).toEqual(before)
      expect(node.outage()).toBe(null)
    } finally {
      await node.close()
      for (const server of [first, second]) await server.stop('SIGQUIT')
      for (const one of [cluster, standby]) one.remove()
    }
  })

  it('hands the runs that a node has claimed back when it closes', async () => {
    const { handles, errors, dispose } = await openTwo({})
    onTestFinished(dispose)
    const [a, b] = handles
    let heard: (string | null)[] = []
    b.runs.changes.subscribe(runId => heard.push(runId))
    const { ids } = await startOne(a)
    expect((await a.runs.claim(10, 600_000)).runs).toHaveLength(1)
    expect((await b.runs.claim(10, 600_000)).runs).toEqual([])
    await expect.poll(() => heard).toContain(ids[0])
    heard = []
    await a.close()
    // So that it need not wait for its next look.
    await expect.poll(() => heard).toEqual([null])
    expect((await b.runs.claim(10, 600_000)).runs).toMatchObject([{ runId: ids[0], claimNumber: 2 }])
    expect(errors).toEqual([])
  })

  it('waits for minutes until another process has migrated', async () => {
    const { dispose, url, open } = await openTwo({})
    onTestFinished(dispose)
    const migrating = new Client(url)
    await migrating.connect()
    onTestFinished(() => migrating.end())
    await migrating.query('SELECT pg_advisory_lock(7236301)')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const opening = open()
    const waiting =
      "SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()"
    await expect.poll(() => query(url, waiting)).toHaveLength(1)
    vi.advanceTimersByTime(590_000)
    vi.useRealTimers()
    expect(await query(url, waiting)).toHaveLength(1)
    await migrating.query('SELECT pg_advisory_unlock(7236301)')
    await (await opening).close()
  })
})
