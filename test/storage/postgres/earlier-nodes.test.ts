import { describe, expect, it, onTestFinished } from 'vitest'
import { openConversations } from '#main/storage/postgres/conversations.ts'
import { postgresHousekeeping } from '#main/storage/postgres/housekeeping.ts'
import { storesTogether } from '#main/storage/postgres/migrate.ts'
import { joinNodes } from '#main/storage/postgres/node.ts'
import { raiseOldestProgram } from '#main/storage/postgres/oldest-program.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { sessionRecords } from '#main/storage/postgres/sessions.ts'
import { numberOfRunId } from '#main/storage/rows/run-rows.ts'
import { createSessions } from '#main/storage/sessions.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { openTwo } from './open-database.ts'

const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Statements of a node of version 0.2.0. */
const earlier = {
  addSession: `INSERT INTO session (digest, expires_at) VALUES ($1, $2)
    ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at`,
  openSessions: 'SELECT digest FROM session WHERE digest = ANY ($1::text[]) AND expires_at > $2',
  endSession: 'DELETE FROM session WHERE digest = $1',
  signal: "SELECT pg_notify('custom_connection', $1)",
  takeStep: `INSERT INTO housekeeping AS h (name, owner, leased_until) VALUES ($1, $2, ${now} + $3::bigint)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, leased_until = excluded.leased_until
    WHERE h.leased_until <= ${now} OR h.owner = excluded.owner RETURNING name`,
  giveStepBack: 'UPDATE housekeeping SET leased_until = 0 WHERE name = $1 AND owner = $2',
  join: `INSERT INTO node (slot, name, seen_at, config_version) VALUES ($1, $2, ${now}, 0)`,
  beat: `UPDATE node SET seen_at = ${now} WHERE slot = $1 AND name = $2 AND ${storesTogether - 1} >= (SELECT oldest_program FROM meta)
    RETURNING slot`,
  addConversation:
    'INSERT INTO conversation (number, workspace, updated, bytes, head, text) VALUES ($1, $2, $3, $4, $5, $6)',
  addItem:
    'INSERT INTO conversation_item (conversation, message, part, body, text) VALUES ($1, $2, $3, $4, $5)',
}

describe.skipIf(noPostgres !== null)('beside a node of version 0.2.0', () => {
  async function open() {
    const { url, nodes, close } = await openTwo()
    onTestFinished(close)
    return {
      ...nodes[0],
      other: nodes[1],
      run: (text: string, values: unknown[]) => query(url, text, values),
    }
  }

  it('sessions begin and end on both, and each is told of the other’s ends', async () => {
    const { pool, signals, onError, other, run } = await open()
    const sessions = createSessions(sessionRecords(pool), signals, Date.now, onError)
    onTestFinished(sessions.close)
    const told: string[] = []
    other.signals.on('sessions', digest => told.push(digest))
    const [theirs, ours] = ['1'.repeat(64), '2'.repeat(64)]

    await run(earlier.addSession, [theirs, Date.now() + 600_000])
    await sessions.add(ours, 600_000)
    expect(await run(earlier.openSessions, [[theirs, ours], Date.now()])).toHaveLength(2)
    expect([await sessions.isOpen(theirs), await sessions.isOpen(ours)]).toEqual([true, true])

    const over: string[] = []
    for (const digest of [theirs, ours]) sessions.onOver(digest, () => over.push(digest))
    await run(earlier.endSession, [theirs])
    await run(earlier.signal, [JSON.stringify(['sessions', theirs])])
    await expect.poll(() => over).toEqual([theirs])
    await sessions.end(ours)
    await expect.poll(() => told).toEqual([theirs, ours])
    expect(await run(earlier.openSessions, [[theirs, ours], Date.now()])).toEqual([])
  })

  it('one of both carries out a step at a time', async () => {
    const { pool, onError, run } = await open()
    const housekeeping = postgresHousekeeping(pool, onError)
    const step = { name: 'step', everyMs: 1, retryMs: 1 }
    expect(await run(earlier.takeStep, ['step', 'earlier', 600_000])).toHaveLength(1)
    const isDone = Promise.withResolvers<void>()
    let [runs, others] = [0, 0]
    const stops = [
      housekeeping.every(step, () => {
        runs++
        return isDone.promise
      }),
      housekeeping.every({ ...step, name: 'another' }, async () => void others++),
    ]
    await expect.poll(() => others).toBeGreaterThan(3)
    expect(runs).toBe(0)
    const startedAt = Date.now()
    await run(earlier.giveStepBack, ['step', 'earlier'])
    await expect.poll(() => runs).toBe(1)
    const leases = 'SELECT leased_until > $1 AS is_leased FROM housekeeping WHERE name = $2'
    expect(await run(leases, [startedAt, 'step'])).toEqual([{ is_leased: true }])
    isDone.resolve()
    for (const stop of stops) await stop()
    await expect.poll(() => run(earlier.takeStep, ['step', 'earlier', 600_000])).toHaveLength(1)
  })

  it('each reads the conversations of the other, every text to its last character', async () => {
    const { pool, signals, onError, run } = await open()
    const conversations = await openConversations(pool, signals, Date.now, onError)
    onTestFinished(conversations.close)
    const odd = { plain: 'a \0 \ud800', stored: '\x01a \\0000 \\d800' }
    await run(earlier.addConversation, [1, 'default', 10, 5, '{}', odd.stored])
    await run(earlier.addItem, [1, 0, -1, '{"role":"user"}', odd.stored])
    const item = { message: 0, part: -1, body: '{"role":"user"}', text: odd.plain }
    const head = { workspaceId: 'default', bytes: 5, head: '{}', text: odd.plain }
    expect(await conversations.get(1)).toEqual({
      conversation: { ...head, number: 1, updated: 10, owners: [] },
      items: [item],
    })

    const bounds = { mostPerWorkspace: 10, mostBytes: 1000, oldest: 0 }
    await conversations.create({ ...head, number: 2, updated: 11 }, bounds)
    const conversation = { ...head, number: 2, updated: 12 }
    expect(await conversations.write({ conversation, keepMessages: 0, items: [item] }, 11)).toBe('written')
    expect(await run('SELECT * FROM conversation WHERE number = $1', [2])).toEqual([
      { number: '2', workspace: 'default', updated: '12', bytes: '5', head: '{}', text: odd.stored },
    ])
    expect(await run('SELECT * FROM conversation_item WHERE conversation = $1', [2])).toEqual([
      { conversation: '2', message: 0, part: -1, body: '{"role":"user"}', text: odd.stored },
    ])
  })

  describe('runs are stored together', () => {
    async function openNode() {
      const opened = await open()
      const { pool, connect, onError, run } = opened
      // The first node of this program has just migrated the database.
      await run(`UPDATE meta SET oldest_program = ${storesTogether - 1}, older_seen_at = ${now}`, [])
      const join = async (name: string) => {
        const node = await joinNodes(pool, { id: name, name, version: '1', clock: Date.now, onError })
        onTestFinished(node.leave)
        return node
      }
      const node = await join('a')
      const mayStoreTogether = () => node.oldestProgram(connect.server()) >= storesTogether
      const { slot, clock } = node
      const events = await openPostgresEvents({ connect, pool, slot, clock, mayStoreTogether, onError })
      onTestFinished(() => events.close())
      return {
        ...{ ...opened, node, events, join },
        raiseAfter: (ms: number) => raiseOldestProgram(pool, () => clock() + ms),
        /** Starts three runs. Returns how they are stored. */
        async start() {
          await node.told()
          const shared = { workspaceId: 'default', connectionId: 'conn_a', queuedAt: clock(), summary: '{}' }
          const fanOut = { ...shared, workflowIds: ['wf_a', 'wf_b', 'wf_c'], data: '{}' }
          const { ids } = await events.runs.start([fanOut], null)
          const id = numberOfRunId(ids[0] ?? '')
          const [found] = await pool.query(
            'SELECT (SELECT count(*) FROM run WHERE body = $1)::int AS apart, (SELECT count(*) FROM fan_out WHERE id = $1)::int AS together',
            [id],
          )
          return found
        },
      }
    }
    const apart = { apart: 3, together: 0 }
    const together = { apart: 0, together: 1 }
    const aMinute = 60_000
    const day = 24 * 60 * aMinute

    it('at once in a new database', async () => {
      const { pool } = await open()
      expect(await pool.query('SELECT oldest_program, older_seen_at FROM meta')).toEqual([
        { oldest_program: storesTogether, older_seen_at: null },
      ])
    })

    it('once none of it was seen for a day, and then it is refused', async () => {
      const { run, raiseAfter, start, events } = await openNode()
      expect(await start()).toEqual(apart)
      await raiseAfter(day - aMinute)
      expect(await start()).toEqual(apart)
      await run(earlier.join, [20, 'earlier'])
      await run('UPDATE meta SET older_seen_at = 0', [])
      await raiseAfter(day - aMinute)
      expect(await start()).toEqual(apart)
      expect(await run(earlier.beat, [20, 'earlier'])).toHaveLength(1)
      await raiseAfter(day + aMinute)
      expect(await start()).toEqual(together)
      expect((await events.runs.list({ limit: 100 })).runs).toHaveLength(12)
      expect(await run(earlier.beat, [20, 'earlier'])).toEqual([])
    })

    it('not before, where a node of this version has taken its slot', async () => {
      const { run, raiseAfter, join, start } = await openNode()
      const facts = `jsonb_set(facts::jsonb, '{id}', to_jsonb('b' || s))::text`
      await run(
        `INSERT INTO node (slot, name, seen_at, config_version, facts)
          SELECT s, 'b' || s, ${now}, 0, ${facts} FROM generate_series(0, 31) AS s, node WHERE s <> node.slot AND s <> 20`,
        [],
      )
      await run(earlier.join, [20, 'earlier'])
      await run(`UPDATE node SET seen_at = -seen_at + ${aMinute} WHERE slot = 20`, [])
      await run('UPDATE meta SET older_seen_at = 0', [])
      expect((await join('c')).slot()).toBe(20)
      await raiseAfter(day - 2 * aMinute)
      expect(await start()).toEqual(apart)
      await raiseAfter(day)
      expect(await start()).toEqual(together)
    })
  })
})
