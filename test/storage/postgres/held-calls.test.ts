import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { HeldCall } from '#main/storage/held-calls.ts'
import { createHeldCalls } from '#main/storage/postgres/held-calls.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { sealer } from '../config-fixtures.ts'
import { openTwo } from './open-database.ts'

const call = (id: string): HeldCall => ({
  ...{ id, kind: 'mcp', doc: '{"password":"secret-canary"}', size: 10, expiresAt: null },
})

describe.skipIf(noPostgres !== null)('held calls in PostgreSQL', () => {
  let now = 0
  beforeEach(() => {
    now = Date.UTC(2026, 0, 1)
  })

  async function open() {
    const { url, nodes, close } = await openTwo()
    const stores: ReturnType<typeof createHeldCalls>[] = []
    const openOn = ({ pool, signals, onError }: (typeof nodes)[0]) => {
      const store = createHeldCalls(pool, signals, () => now, sealer, onError)
      stores.push(store)
      return store
    }
    onTestFinished(async () => {
      for (const store of stores) store.close()
      await close()
    })
    return {
      a: openOn(nodes[0]),
      b: openOn(nodes[1]),
      again: () => openOn(nodes[0]),
      rows: (text: string) => query(url, text),
    }
  }

  it('end when their node no longer renews their leases', async () => {
    const { a, b, again, rows } = await open()
    const bounds = { most: 1, mostSize: 100 }
    expect(await a.hold(call('one'), bounds)).toBe(true)
    expect(await b.hold(call('two'), bounds)).toBe(false)
    expect(await b.list('mcp')).toEqual([call('one')])
    a.close()
    now += 10_000
    expect(await b.list('mcp')).toEqual([])
    expect(await b.decide('mcp', 'one', 'allow')).toBeNull()
    expect(await b.hold(call('two'), bounds)).toBe(true)
    now += 3_600_001
    again()
    await expect.poll(() => rows('SELECT id FROM held_call')).toEqual([{ id: 'two' }])
  })

  it('leave the lists of others when their node has ended', async () => {
    const { a, b } = await open()
    await a.hold(call('one'), null)
    const kinds: string[] = []
    b.changes.subscribe(kind => kinds.push(kind))
    await expect.poll(() => kinds).not.toEqual([])
    a.close()
    kinds.length = 0
    now += 10_000
    await expect.poll(() => kinds).toEqual(['mcp'])
  })

  it('wait as long as their node renews their leases', async () => {
    const { a, b, rows } = await open()
    await a.hold(call('one'), null)
    for (const other of ['two', 'three', 'four']) {
      now += 9000
      // A change makes a node look at its own calls too.
      await b.hold(call(other), null)
      const ends = () => rows("SELECT leased_until FROM held_call WHERE id = 'one'")
      await expect.poll(ends).toEqual([{ leased_until: `${now + 10_000}` }])
    }
    expect(await b.decide('mcp', 'one', 'allow')).toEqual(call('one'))
  })

  it('are on the disk, and say nothing there', async () => {
    const { a, b, rows } = await open()
    await a.hold(call('one'), null)
    await b.decide('mcp', 'one', '{"given":"secret-canary"}')
    const [row] = await rows(
      "SELECT held_call::text AS row, relpersistence FROM held_call, pg_class WHERE relname = 'held_call'",
    )
    expect(row).toEqual({ row: expect.not.stringContaining('secret-canary'), relpersistence: 'p' })
    expect(await a.end('one')).toBe('{"given":"secret-canary"}')
  })
})
