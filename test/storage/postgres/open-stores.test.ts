import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresStores } from '#main/storage/postgres/open-stores.ts'
import type { Storage, StorageOptions } from '#main/storage/storage.ts'
import { noPostgres } from '../../support/postgres.ts'
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

  it('neither accepts nor claims while it cannot know the configuration', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [a, b] = handles
    await startOne(b)
    await query(url, 'ALTER TABLE config_head RENAME TO away')
    await expect.poll(() => a.isReady(), { timeout: 15_000 }).toBe(false)
    await expect(startOne(a)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await a.runs.claim(10, 1000)).runs).toEqual([])
    await query(url, 'ALTER TABLE away RENAME TO config_head')
    await expect.poll(() => a.isReady(), { timeout: 15_000 }).toBe(true)
    await startOne(a)
    expect((await a.runs.claim(10, 1000)).runs).toHaveLength(1)
  }, 40_000)

  it('stops a node whose slot was taken, until it has another one', async () => {
    const { handles, dispose, url } = await openTwo({})
    onTestFinished(dispose)
    const [a] = handles
    const hour = '(extract(epoch FROM now()) * 1000)::bigint + 3600000'
    await query(url, `UPDATE node SET name = 'other', seen_at = ${hour} WHERE slot = 0`)
    await query(
      url,
      `INSERT INTO node SELECT s, 'other', ${hour}, 9 FROM generate_series(2, 31) AS s ON CONFLICT DO NOTHING`,
    )
    await expect.poll(() => a.isReady(), { timeout: 5000 }).toBe(false)
    await expect(startOne(a)).rejects.toMatchObject({ code: 'unavailable' })
    await query(url, 'DELETE FROM node WHERE slot = 7')
    await expect.poll(() => a.isReady(), { timeout: 5000 }).toBe(true)
    expect(Math.floor((a.ids.event() % 1024) / 32)).toBe(7)
    await startOne(a)
  }, 20_000)

  it('lets two nodes share one database, each with a slot of its own', async () => {
    const { handles, errors, dispose, open } = await openTwo({})
    onTestFinished(dispose)
    const [a, b] = handles
    const slotOf = (id: number) => Math.floor((id % 1024) / 32)
    expect([a, b].map(({ ids }) => slotOf(ids.event()))).toEqual([0, 1])
    await a.close()
    const again = await open()
    expect(slotOf(again.ids.event())).toBe(0)
    expect(again.isReady()).toBe(true)
    await again.close()
    expect(errors).toEqual([])
  })
})
