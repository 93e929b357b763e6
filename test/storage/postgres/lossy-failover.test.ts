import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventIdOf } from '#main/lib/sequence.ts'
import { openPostgresStores, type PostgresStores } from '#main/storage/postgres/open-stores.ts'
import type { RunClaim } from '#main/storage/runs.ts'
import { eventually } from '../../support/eventually.ts'
import { type Cluster, createCluster, noPostgres, type Server } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { sealer } from '../config-fixtures.ts'
import { savedCounts } from '../statistics-contract.ts'

const newRun = (lane: string) => ({
  ...{ workflowId: lane, workspaceId: 'ws_a', connectionId: null, lane },
  ...{ queuedAt: 1, summary: '{}', data: '{}' },
})

/** The standby has what the primary had before `before`, and nothing of it: the failover loses all of that. */
describe.skipIf(noPostgres !== null)('after a failover that has lost the newest transactions, a node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-lossy-'))
  const clusters: Cluster[] = []
  const servers: Server[] = []
  const nodes: PostgresStores[] = []
  const errors: unknown[] = []
  const activity: number[] = []
  const shown: (readonly string[])[] = []
  const counted: (number | undefined)[] = []
  const conversations: number[] = []
  let [first, second] = [null as Server | null, null as Server | null]
  let [a, b] = [null as PostgresStores | null, null as PostgresStores | null]
  let files = 0
  let claim: RunClaim = { runId: '', claimNumber: 0 }

  const open = async (url: string) => {
    const node = await openPostgresStores({
      ...{
        url,
        sealer,
        clock: Date.now,
        historyBounds: {},
        uploadsFolder: mkdtempSync(join(folder, 'uploads-')),
      },
      lanesOf: () => [['lost', 5]],
      onError: error => errors.push(error),
    })
    nodes.push(node)
    return node
  }
  const only = <One>(one: One | null): One => {
    if (one === null) throw new Error('Not opened')
    return one
  }
  /** Returns the number of the event. */
  async function append(node: PostgresStores, connectionId: string, lane?: string): Promise<number> {
    const seq = node.ids.event()
    const event = {
      ...{ eventId: eventIdOf(seq), connectionId, eventName: 'a', bodyText: '{}', headerLines: '' },
      ...{ receivedAt: node.clock(), repeat: false, replayOf: null },
    }
    await node.events.append(event, lane === undefined ? [] : [newRun(lane)])
    return seq
  }

  beforeAll(async () => {
    const cluster = createCluster()
    first = await cluster.start()
    await (await open(first.url())).runs.start([newRun('kept')], null)
    await nodes.pop()?.close()
    await first.stop()
    const standby = cluster.standbyOf('host=127.0.0.1 port=1')
    first = await cluster.start({}, first.port)
    second = await standby.start()
    clusters.push(cluster, standby)
    servers.push(first, second)
    const url = first.url().replace(/:(\d+)/, `:$1,127.0.0.1:${second.port}`)
    a = await open(url)
    b = await open(url)
    await before(first, a, b)
    const promoted = second
    await query(promoted.url(), 'SELECT pg_promote()')
    await first.stop('SIGQUIT')
    for (const node of [a, b])
      await eventually(async () => {
        const seq = await append(node, 'conn_kept')
        expect(await query(promoted.url(), 'SELECT FROM event WHERE seq = $1', [seq])).toHaveLength(1)
      })
  })
  afterAll(async () => {
    for (const node of nodes) await node.close()
    for (const server of servers) await server.stop('SIGQUIT')
    for (const cluster of clusters) cluster.remove()
    rmSync(folder, { recursive: true })
  })

  /** Lets the nodes learn numbers that the other server does not know, or gives to others. */
  async function before(server: Server, a: PostgresStores, b: PostgresStores): Promise<void> {
    await query(
      server.url(),
      `SELECT setval('run_place', 1000000), setval('conversation_change_seq_seq', 1000000),
      setval('activity_number_seq', 1000000)`,
    )
    await query(server.url(), 'UPDATE knowledge_head SET version = 1000')
    for (let n = 0; n < 5; n++) {
      await append(a, 'conn_lost', 'lost')
      const { runs } = await a.runs.claim(100, 600_000)
      for (const run of runs)
        if (run.lane === 'kept') claim = run
        else await a.runs.finish(run, { state: 'succeeded', endedAt: 1, error: null, discard: false })
    }
    b.activityRelay.follow('b', items => activity.push(...items.map(({ number }) => number)))
    b.presence.follow('b', 'topic', texts => shown.push(texts))
    b.statistics.follow('b', of => counted.push(of.get('conn_a')?.accepted.at(-1)))
    b.conversations.changes.subscribe(({ number }) => conversations.push(number))
    b.knowledge.changes.subscribe(() => files++)
    await eventually(() => expect(a.activityRelay.isFollowed('a')).toBe(true))
    a.activityRelay.send('a', [{ number: 1, connectionId: 'conn_a', item: '1' }])
    a.presence.show('a', 'topic', () => 'before')
    await create(a, 1)
    await a.statistics.save('a', counts(1), new Set(['conn_a']))
    await eventually(() =>
      expect([activity, shown.at(-1), conversations, counted.at(-1)]).toEqual([[1], ['before'], [1], 1]),
    )
  }
  const counts = (accepted: number) => ({
    ...{ since: () => 1000, connectionIds: () => ['conn_a'] },
    countsOf: (id: string) => (id === 'conn_a' ? savedCounts(accepted) : null),
  })
  const create = (node: PostgresStores, number: number) =>
    node.conversations.create(
      { number, workspaceId: 'ws_a', updated: number, bytes: 1, head: '{}', text: '' },
      { mostPerWorkspace: 100, mostBytes: 1_000_000, oldest: 0 },
    )

  it('stores events for their own connection, not for the one that has its number now', async () => {
    const eventsOf = async (id: string) => (await only(a).events.list(id, { limit: 10 })).events.length
    const before = await eventsOf('conn_kept')
    await append(only(a), 'conn_lost')
    expect([await eventsOf('conn_lost'), await eventsOf('conn_kept')]).toEqual([1, before])
  })

  it('has lost a run that another node has claimed as often', async () => {
    const [{ runs }, writers] = [await only(b).runs.claim(100, 600_000), [only(a), only(b)]]
    expect(runs).toMatchObject([{ runId: claim.runId, claimNumber: claim.claimNumber }])
    const held: string[][] = []
    for (const { runs } of writers) held.push(await runs.renew([claim], 600_000))
    expect(held).toEqual([[], [claim.runId]])
    expect(await only(a).runs.record(claim, [])).toBe(false)
  })

  it('claims runs of a lane that has to be created again, up to its limit', async () => {
    for (let n = 0; n < 6; n++) await append(only(a), 'conn_lost', 'lost')
    expect((await only(a).runs.claim(100, 600_000)).runs).toHaveLength(5)
  })

  it('hears of what others do, although its numbers begin lower', async () => {
    const [one, other] = [only(a), only(b)]
    one.presence.show('a', 'topic', () => 'after')
    await one.statistics.save('a', counts(2), new Set(['conn_a']))
    await eventually(() => expect([shown.at(-1), counted.at(-1)]).toEqual([['after'], 2]))
    await create(one, 2)
    await eventually(() => expect(conversations).toContain(2))
    const before = files
    await query(only(second).url(), 'UPDATE knowledge_head SET version = version + 1')
    await eventually(() => expect(files).toBeGreaterThan(before))
    await eventually(() => {
      one.activityRelay.send('a', [{ number: 2, connectionId: 'conn_a', item: '2' }])
      expect(activity).toContain(2)
    })
    expect(other.outage()).toBeNull()
  })
})
