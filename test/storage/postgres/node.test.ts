import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { joinNodes, type Node } from '#main/storage/postgres/node.ts'
import { noPostgres } from '../../support/postgres.ts'
import { emptyDatabase, openNode } from './open-database.ts'

describe.skipIf(noPostgres !== null)('the nodes on a database', () => {
  let database: Awaited<ReturnType<typeof openNode>>
  let joined: Node[]
  let errors: unknown[]
  beforeEach(async () => {
    errors = []
    database = await openNode(await emptyDatabase())
    joined = []
  })
  afterEach(async () => {
    for (const node of joined) await node.leave()
    await database.close()
  })

  async function join(name: string, clock = Date.now, adminTokenMark?: string): Promise<Node> {
    const node = await joinNodes(database.pool, {
      id: `node_${name}${joined.length}`,
      name,
      version: '1',
      adminTokenMark,
      clock,
      onError: error => errors.push(error),
    })
    joined.push(node)
    return node
  }
  /** Ends a node without a word, so long ago. */
  async function kill(node: Node, agoMs: number): Promise<void> {
    const slot = node.slot()
    await node.leave()
    joined.splice(joined.indexOf(node), 1)
    await database.pool.query('UPDATE node SET seen_at = -seen_at - $2 WHERE slot = $1', [slot, agoMs])
  }
  const listed = async (node: Node) => (await node.list()).map(({ name, state }) => `${name} ${state}`)

  it('gives each of many that start at once a slot of its own', async () => {
    const nodes = await Promise.all(Array.from({ length: 12 }, (_, index) => join(`n${index}`)))
    expect(new Set(nodes.map(node => node.slot())).size).toBe(12)
  })

  it('is not confirmed any more once a newer program has removed what it uses, and says so once', async () => {
    const node = await join('a')
    const { pool } = database
    await pool.query('UPDATE meta SET oldest_program = 99')
    await expect(node.list()).rejects.toMatchObject({ code: 'newer_database' })
    expect(node.silentMs()).toBe(Number.POSITIVE_INFINITY)
    for (let beat = 0; beat < 3; beat++) node.hasApplied(beat)
    await expect.poll(() => errors).toMatchObject([{ code: 'newer_database' }])
    await expect(join('b')).rejects.toMatchObject({ code: 'newer_database' })
    await pool.query('UPDATE meta SET oldest_program = 1')
    await node.list()
    expect(node.silentMs()).toBeLessThan(1000)
    expect(errors).toHaveLength(1)
  })

  it('lists what each node tells of itself', async () => {
    const a = await join('a')
    const b = await join('b')
    a.hasApplied(7)
    const disk = { free: 1, size: 2 }
    const certificateEndsAt = '2026-12-01T00:00:00.000Z'
    a.report(() => ({ isReady: true, runsUnderWay: 3, eventsPerSecond: 1.5, disk, certificateEndsAt }))
    const nodes = await a.list()
    expect(nodes).toMatchObject([
      {
        name: 'a',
        version: '1',
        state: 'ready',
        configVersion: 7,
        runsUnderWay: 3,
        ...{ eventsPerSecond: 1.5, disk, certificateEndsAt },
        isThis: true,
      },
      { name: 'b', state: 'unready', isThis: false },
    ])
    for (const { seenAt, startedAt } of nodes)
      for (const time of [seenAt, startedAt ?? ''])
        expect(Math.abs(Date.parse(time) - a.clock())).toBeLessThan(60_000)
    const addFanOut = `INSERT INTO fan_out (id, list, runs, gone, due_at, node, queued_at, connection, summary)
      VALUES ($1, 1, 17, '{2}', $2, $3, 0, 'conn_a', '')`
    for (const [id, dueAt] of [1, 0].entries()) await database.pool.query(addFanOut, [id, dueAt, b.slot()])
    expect((await a.list()).map(({ heldRuns }) => heldRuns)).toEqual([0, 16])
    await b.drain()
    expect(await listed(a)).toEqual(['a ready', 'b draining'])
    await b.leave()
    expect(await listed(a)).toEqual(['a ready'])
  })

  it('tells which nodes have its admin token', async () => {
    const a = await join('a', Date.now, 'mark')
    await join('b', Date.now, 'mark')
    await join('c', Date.now, 'other')
    const d = await join('d')
    const same = async (node: Node) => (await node.list()).map(({ hasSameToken }) => hasSameToken)
    expect(await same(a)).toEqual([true, true, false, null])
    await database.pool.query("UPDATE node SET facts = (facts::jsonb - 'adminTokenMark')::text")
    expect((await d.list()).map(({ version, hasSameToken }) => [version, hasSameToken])).toEqual(
      Array(4).fill(['1', null]),
    )
  })

  it('reports a clock that differs by more than two seconds once, until it was right again', async () => {
    let ahead = 0
    const reported: number[] = []
    const node = await joinNodes(database.pool, {
      ...{ id: 'node_a', name: 'a', version: '1' },
      clock: () => Date.now() + ahead,
      onClockDifference: ms => reported.push(Math.round(ms / 1000)),
    })
    joined.push(node)
    for (const each of [1500, -5000, -5000, -1500, -5000, 0, 60_000]) {
      ahead = each
      await node.list()
    }
    expect(reported).toEqual([-5, 60])
  })

  it('tells by how much the clock of a node is ahead', async () => {
    const a = await join('a', () => Date.now() + 5000)
    const [node] = await a.list()
    expect(Math.abs((node?.clockOffsetMs ?? 0) - 5000)).toBeLessThan(1000)
    expect(Math.abs(a.clock() - Date.now())).toBeLessThan(1000)
    expect(node?.databaseMs).toBeGreaterThanOrEqual(0)
  })

  it('keeps the time of the database while the clock of a node is set', async () => {
    let aheadMs = 0
    const node = await join('a', () => Date.now() + aheadMs)
    for (aheadMs of [60_000, -60_000]) expect(Math.abs(node.clock() - Date.now())).toBeLessThan(1000)
    const [listed] = await node.list()
    expect(Math.abs((listed?.clockOffsetMs ?? 0) + 60_000)).toBeLessThan(1000)
  })

  it('lists a node that was killed as lost for a day, until one of its name is back', async () => {
    const a = await join('a')
    for (const [name, agoMs] of [
      ['b', 5000],
      ['c', 31_000],
      ['d', 86_500_000],
    ] as const)
      await kill(await join(name), agoMs)
    expect(await listed(a)).toEqual(['a unready', 'b silent', 'c lost'])
    await join('c')
    expect(await listed(a)).toEqual(['a unready', 'b silent', 'c unready'])
  })

  it('keeps lost nodes listed as long as there are other slots', async () => {
    const a = await join('a')
    await kill(await join('b'), 40_000)
    for (const name of ['c', 'd', 'e']) await join(name)
    expect(await listed(a)).toContain('b lost')
  })

  it('forgets a lost node, and no other', async () => {
    const a = await join('a')
    await kill(await join('b'), 31_000)
    const lost = (await a.list()).find(({ state }) => state === 'lost')
    await a.forget(lost?.nodeId ?? '')
    expect(await listed(a)).toEqual(['a unready'])
    for (const [nodeId, code] of [
      [lost?.nodeId, 'node_not_found'],
      ['node_none', 'node_not_found'],
      ['node_a0', 'node_not_lost'],
    ] as const)
      await expect(a.forget(nodeId ?? '')).rejects.toMatchObject({ code })
  })

  it('does not list a node that leaves after it was forgotten', async () => {
    const a = await join('a')
    const b = await join('b')
    await database.pool.query('UPDATE node SET seen_at = seen_at - 31000 WHERE slot = $1', [b.slot()])
    const lost = (await a.list()).find(({ state }) => state === 'lost')
    await a.forget(lost?.nodeId ?? '')
    await b.leave()
    joined.splice(joined.indexOf(b), 1)
    expect(await listed(a)).toEqual(['a unready'])
  })

  it('counts those that may still make calls', async () => {
    const a = await join('a')
    await join('b')
    await a.list()
    expect(a.living()).toBe(2)
    const c = await join('c')
    const slot = c.slot()
    await kill(c, 9000)
    await kill(await join('d'), 11_000)
    // Set again each time: a second later it would not count any more.
    const ago = `UPDATE node SET seen_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 9000
      WHERE slot = $1`
    await expect
      .poll(async () => {
        await database.pool.query(ago, [slot])
        await a.list()
        return a.living()
      })
      .toBe(3)
  })

  it('lets a node that joins others take little until they count it', async () => {
    const a = await join('a')
    expect(a.living()).toBe(1)
    const b = await join('b')
    expect(b.living()).toBe(32)
    await expect.poll(() => b.living()).toBe(2)
    expect(a.living()).toBe(2)
  })

  describe('fence off', () => {
    const fencedOff = async () =>
      Number((await database.pool.query('SELECT fenced FROM config_head'))[0]?.fenced)
    /** Makes a version the newest, and a node apply it. */
    async function applies(node: Node, version: number): Promise<void> {
      await database.pool.query('UPDATE config_head SET version = $1', [version])
      node.hasApplied(version)
      await node.told()
    }
    async function joinAt(name: string, version: number): Promise<Node> {
      const node = await join(name)
      await applies(node, version)
      return node
    }

    it('nothing while all have told that they have applied a change', async () => {
      const [a, b] = [await joinAt('a', 6), await joinAt('b', 6)]
      await a.allHaveApplied(6)
      expect([await fencedOff(), a.version(1), b.version(1), b.version(2)]).toEqual([0, 6, 6, 0])
    })

    it('the version of one that has been silent, however long, once', async () => {
      await kill(await joinAt('b', 5), 40_000_000)
      const a = await joinAt('a', 6)
      await a.allHaveApplied(6)
      expect(await fencedOff()).toBe(6)
      await applies(a, 7)
      await a.allHaveApplied(7)
      expect(await fencedOff()).toBe(6)
    })

    it('the version of one that is not asked any more, because it was forgotten or another has its slot', async () => {
      const a = await joinAt('a', 6)
      await kill(await joinAt('b', 6), 40_000)
      const lost = (await a.list()).find(({ state }) => state === 'lost')
      await a.forget(lost?.nodeId ?? '')
      await applies(a, 7)
      await a.allHaveApplied(7)
      expect(await fencedOff()).toBe(7)
      // All but the slots of the two others are free, and this one is free for the shortest time.
      await kill(await joinAt('c', 7), 31_000)
      for (let slot = 0; slot < 30; slot++) await join(`d${slot}`)
      await database.pool.query('UPDATE node SET config_version = 8')
      await applies(a, 8)
      await a.allHaveApplied(8)
      expect(await fencedOff()).toBe(7)
      await joinAt('e', 9)
      await database.pool.query('UPDATE node SET config_version = 9')
      await applies(a, 9)
      await a.allHaveApplied(9)
      expect(await fencedOff()).toBe(9)
    })

    it('what they decide until the database knows what they have applied', async () => {
      const a = await joinAt('a', 6)
      await database.pool.query("UPDATE node SET name = 'other'")
      a.hasApplied(7)
      await a.told()
      await a.told()
      expect(a.version(1)).toBe(7)
    })

    it('and fail if they cannot', async () => {
      await kill(await joinAt('b', 5), 40_000)
      const a = await joinAt('a', 6)
      await database.pool.query('ALTER TABLE config_head ADD CONSTRAINT never CHECK (fenced = 0)')
      await expect(a.allHaveApplied(6)).rejects.toMatchObject({ code: 'storage_unavailable' })
    })

    it('and fail where another server has taken over that has missed the change', async () => {
      await kill(await joinAt('b', 4), 40_000)
      const a = await joinAt('a', 5)
      await expect(a.allHaveApplied(6)).rejects.toMatchObject({ code: 'storage_unavailable' })
      expect(await fencedOff()).toBe(0)
    })
  })

  it('lists a node whose program tells nothing of itself', async () => {
    const a = await join('a')
    await kill(await join('b'), 31_000)
    const takeOver = `UPDATE node SET name = 'uuid', seen_at = $2 WHERE slot = $1`
    await database.pool.query(takeOver, [1, Date.now()])
    expect(await a.list()).toMatchObject([
      { nodeId: 'uuid', name: null, version: null, startedAt: null, runsUnderWay: null, state: 'ready' },
      { name: 'a' },
    ])
  })
})
