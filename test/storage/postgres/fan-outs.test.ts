import { describe, expect, it, onTestFinished } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import type { ClaimedRun, EndedRun, FanOut, NewRun, RunStore } from '#main/storage/runs.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-events.ts'

const lease = 10_000
const begin = Date.UTC(2026, 0, 1)
const waitsForLock = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** Calls back before each use. */
class WatchedPool extends Pool {
  beforeUse: () => Promise<void> = async () => {}
  override async use<Result>(work: Parameters<Pool['use']>[0]): Promise<Result> {
    await this.beforeUse()
    return (await super.use(work)) as Result
  }
}

describe.skipIf(noPostgres !== null)('fan-outs in PostgreSQL', () => {
  let now = begin
  async function open(options: Parameters<typeof openTemporary>[0] = {}) {
    now = begin
    const opened = await openTemporary({ clock: () => now, ...options })
    onTestFinished(opened.dispose)
    const make = eventMaker(() => now)
    const runsOf = async (eventId: string) =>
      (await opened.log.runs.list({ eventId, limit: 200 })).runs.toReversed()
    /** Returns how many rows a table has. */
    const rows = async (table: string) => {
      const [counted] = await opened.pool.query(`SELECT count(*) AS n FROM ${table}`)
      return Number(counted?.n)
    }
    return { ...opened, runs: opened.log.runs, make, runsOf, rows }
  }
  const shared = () => ({
    ...{ workspaceId: 'ws_a', connectionId: 'conn_a', queuedAt: now, summary: '{}', data: '{"n":1}' },
  })
  const fanOut = (workflowIds: readonly string[]): FanOut => ({ ...shared(), workflowIds })
  const ended = (): EndedRun => ({ state: 'succeeded', endedAt: now, error: null, discard: false, steps: [] })
  const alone = (workflowId: string): NewRun => ({
    ...shared(),
    workflowId,
    lane: workflowId,
    ended: ended(),
  })
  const named = (count: number, prefix = 'wf') => Array.from({ length: count }, (_, n) => `${prefix}_${n}`)
  const cancelled = () => ({ endedAt: now, discard: false })
  /** Decides all runs but those of one workflow. */
  const decideAllBut =
    (workflow: string, before: () => Promise<unknown> = async () => {}) =>
    async (run: ClaimedRun) => {
      await before()
      return run.workflowId === workflow ? null : ended()
    }
  /** Does something once. */
  function once(work: () => Promise<unknown>) {
    let done: Promise<unknown> | undefined
    return () => {
      done ??= work()
      return done
    }
  }
  const statesOf = async (runs: RunStore) =>
    (await runs.list({ limit: 200 })).runs.toReversed().map(({ state }) => state)

  it('have runs that are cancelled while a claim holds them, and while it is written', async () => {
    const { url, runs, second } = await open()
    const other = await second()
    await runs.start([fanOut(named(4))], null)
    const ids = (await runs.list({ limit: 10 })).runs.toReversed().map(({ runId }) => runId)
    const blocker = await connectorTo(url)()
    onTestFinished(() => blocker.end())
    const hold = once(async () => {
      expect(await other.runs.cancel(ids[1] ?? '', cancelled())).toBe(true)
      await blocker.query('BEGIN')
      await blocker.query('SELECT FROM fan_out FOR UPDATE')
    })
    const toBeCarriedOut = ['wf_1', 'wf_2', 'wf_3']
    const claiming = runs.claim(1, lease, async run => {
      await hold()
      return toBeCarriedOut.includes(run.workflowId) ? null : ended()
    })
    await expect.poll(() => query(url, waitsForLock)).toEqual([{ waiting: 1 }])
    const cancelling = [2, 0].map(index => other.runs.cancel(ids[index] ?? '', cancelled()))
    await expect.poll(() => query(url, waitsForLock)).toEqual([{ waiting: 3 }])
    await blocker.query('ROLLBACK')
    // It was written first.
    expect(await Promise.all(cancelling)).toEqual([true, false])
    expect((await claiming).runs).toHaveLength(1)
    expect(await statesOf(runs)).toEqual(['succeeded', 'cancelled', 'cancelled', 'running'])
  })

  it('are decided by another node once the lease has ended: what the first one writes then has no effect', async () => {
    const { runs, second, pool } = await open()
    const other = await second()
    await runs.start([fanOut(named(5))], null)
    const takeOver = once(async () => {
      now += lease + 1
      const { runs: claimed } = await other.runs.claim(10, lease, decideAllBut('wf_3'))
      expect(claimed.map(({ workflowId, claimNumber }) => [workflowId, claimNumber])).toEqual([['wf_3', 1]])
      for (const run of claimed) expect(await other.runs.finish(run, ended())).toBe(true)
    })
    const late = await runs.claim(10, lease, async run => {
      await takeOver()
      return run.workflowId === 'wf_1' ? null : { ...ended(), endedAt: run.startedAt ?? 0, discard: true }
    })
    expect(late.runs).toEqual([])
    const { runs: found } = await runs.list({ limit: 10 })
    expect(found.map(({ state, endedAt, startedAt }) => [state, startedAt, endedAt])).toEqual(
      Array(5).fill(['succeeded', now, now]),
    )
    for (const { runId } of found) expect((await runs.get(runId))?.data).toBe('{"n":1}')
    expect(await pool.query('SELECT FROM run')).toHaveLength(1)
    expect(await runs.countEnded({})).toEqual({ succeeded: 5, failed: 0, cancelled: 0 })
  })

  it('are decided again if the version that has decided them is fenced off meanwhile', async () => {
    let version = 5
    const { url, runs, second } = await open({ version: () => version })
    const other = await second()
    await query(url, 'UPDATE config_head SET version = 5, fenced = 5')
    await runs.start([fanOut(named(3))], null)
    const fence = once(() => query(url, 'UPDATE config_head SET version = 6, fenced = 6'))
    expect((await runs.claim(10, lease, decideAllBut('wf_1', fence))).runs).toEqual([])
    expect(await statesOf(runs)).toEqual(['waiting', 'waiting', 'waiting'])
    expect((await other.runs.claim(10, lease, decideAllBut('wf_1'))).runs).toEqual([])
    version = 6
    now += 1000
    const { runs: claimed } = await other.runs.claim(10, lease, decideAllBut('wf_2'))
    expect(claimed.map(({ workflowId }) => workflowId)).toEqual(['wf_2'])
    expect(await statesOf(runs)).toEqual(['succeeded', 'succeeded', 'running'])
  })

  it('are gone with their connection, also while a claim holds them', async () => {
    const { runs, second, rows } = await open()
    const other = await second()
    await runs.start([fanOut(named(3))], null)
    const forget = once(() => other.runs.forget('conn_a'))
    expect((await runs.claim(10, lease, decideAllBut('wf_1', forget))).runs).toEqual([])
    for (const table of ['run', 'run_body', 'fan_out']) expect(await rows(table)).toBe(0)
    expect(await runs.laneCounts()).toEqual([])
  })

  it('lose no run that becomes a row while they are read', async () => {
    const readPool = new WatchedPool(connectorTo((await open()).url), 2)
    onTestFinished(() => readPool.close())
    for (const use of [0, 1, 2, 3]) {
      const { runs } = await open({ readPool })
      await runs.start([fanOut(named(17))], null)
      let uses = 0
      readPool.beforeUse = async () => {
        if (uses++ === use) await runs.claim(1, lease, decideAllBut('wf_3'))
      }
      const { runs: listed } = await runs.list({ limit: 50 })
      expect(listed.map(({ workflowId }) => workflowId)).toEqual(named(17).toReversed())
      readPool.beforeUse = async () => {}
      await runs.start([fanOut(named(17, 'wx'))], null)
      const [run] = (await runs.list({ limit: 50, workflowIds: ['wx_3'] })).runs
      uses = 0
      readPool.beforeUse = async () => {
        if (uses++ === use) await runs.claim(1, lease, decideAllBut('wx_3'))
      }
      expect((await runs.get(run?.runId ?? ''))?.runId).toBe(run?.runId)
      readPool.beforeUse = async () => {}
    }
  })

  it('are stored as rows beyond 4096 workflows, and beyond 128 lists of workflows', async () => {
    const { runs, rows, second } = await open()
    await runs.start([fanOut(named(4097))], null)
    expect(await rows('fan_out')).toBe(0)
    expect(await rows('run')).toBe(4097)
    await runs.forget('conn_a')
    const { ids } = await runs.start(named(4300).map(alone), null)
    expect(await rows('run')).toBe(0)
    for (const at of [0, 4095, 4096, 4299])
      expect(await runs.get(ids[at] ?? '')).toMatchObject({ workflowId: `wf_${at}`, state: 'succeeded' })
    expect(await runs.countEnded({})).toMatchObject({ succeeded: 4300 })
    await runs.forget('conn_a')
    await Promise.all(named(140).map(one => runs.start([fanOut([one, 'wf_last'])], null)))
    const [together, asRows] = [await rows('fan_out'), await rows('run')]
    expect(together).toBeLessThanOrEqual(128)
    expect(2 * together + asRows).toBe(280)
    const last = await runs.list({ workflowIds: ['wf_last'], limit: 200 })
    expect(last.runs).toHaveLength(140)
    // Also those that this node does not know.
    const other = await second()
    expect((await other.runs.list({ workflowIds: ['wf_last'], limit: 200 })).runs).toEqual(last.runs)
    expect((await other.runs.claim(500, lease, decideAllBut('none'))).runs.length).toBeLessThan(280)
  })

  it('have steps of a bounded size: runs with more are carried out', async () => {
    const { runs } = await open()
    await runs.start([fanOut(named(17))], null)
    const step = {
      ...{ path: 'a', type: 'set', attempt: 1, startedAt: now, endedAt: now, error: null, callId: null },
      ...{ input: null, absent: [] },
    }
    const decide = ({ workflowId }: ClaimedRun): EndedRun => {
      const output = `"${workflowId}${'x'.repeat(200_000)}"`
      return { ...ended(), steps: [{ ...step, output }] }
    }
    const { runs: claimed } = await runs.claim(100, lease, decide)
    expect(claimed.length).toBeGreaterThan(10)
    const kept = await runs.endPending(
      claimed.map(run => ({ ...run, startedAt: run.startedAt ?? now, ended: decide(run) })),
    )
    expect(kept.every(Boolean)).toBe(true)
    const { runs: listed } = await runs.list({ limit: 50 })
    expect(listed.map(({ state }) => state)).toEqual(Array(17).fill('succeeded'))
    for (const { runId, workflowId } of listed) {
      const [found] = (await runs.get(runId))?.steps ?? []
      expect(found?.output?.slice(0, 10)).toBe(`"${workflowId}xxxxxxxxxx`.slice(0, 10))
    }
  })

  it('are read for figures up to a bounded size of their steps', async () => {
    const { runs, pool } = await open()
    for (let n = 0; n < 12; n++) await runs.start([alone('wf_0'), alone('wf_1')], null)
    const decided = { ...ended(), state: 'failed' } as const
    now -= 1000
    await runs.start([{ ...alone('wf_0'), ended: decided }], null)
    expect((await runs.stepFigures('wf_0')).runs).toBe(13)
    await pool.query(
      `UPDATE fan_out SET steps = '[[["a","set",null,"' || repeat('x', 1024 * 1024) || '"]],[["b","set",null,null]]]'`,
    )
    expect(await runs.stepFigures('wf_1')).toEqual({ runs: 8, steps: [{ key: 'b', runs: 8, failures: 0 }] })
    expect((await runs.stepFigures('wf_0')).runs).toBeLessThan(13)
  })

  it('of a list of events with a key are stored once', async () => {
    const { log, make, runsOf, second } = await open()
    const other = await second()
    const list = () => {
      const events = [make(), make()]
      const runs = [fanOut(named(3)), alone('wf_7'), alone('wf_8')]
      return events.map(event => ({ event, runs }))
    }
    const key = () => deduplicationKey('conn_a', 'list', now, 60_000)
    const [first, again] = [list(), list()]
    expect((await log.appendAll(first, true, key())).map(({ isRepeated }) => isRepeated)).toEqual([
      false,
      false,
    ])
    expect((await other.appendAll(again, true, key())).map(({ isRepeated }) => isRepeated)).toEqual([
      true,
      true,
    ])
    for (const { event } of first)
      expect((await runsOf(event.eventId)).map(({ workflowId }) => workflowId)).toEqual([
        ...named(3),
        ...['wf_7', 'wf_8'],
      ])
    for (const { event } of again) expect(await runsOf(event.eventId)).toEqual([])
  })

  it('are announced when they are decided, also beside runs of a paused lane', async () => {
    const { runs, setLane } = await open()
    await setLane('wf_1', 0)
    await runs.start([fanOut(named(3))], null)
    const heard: (string | null)[] = []
    runs.changes.subscribe(runId => heard.push(runId))
    expect((await runs.claim(10, lease, decideAllBut('none'))).runs).toEqual([])
    expect(heard).toEqual([null])
    expect(await statesOf(runs)).toEqual(['succeeded', 'waiting', 'succeeded'])
  })

  it('are returned as ended by the claim that has stored so, but for those that were cancelled meanwhile', async () => {
    const { runs, second } = await open()
    const other = await second()
    await runs.start([fanOut(named(4))], null)
    const ids = (await runs.list({ limit: 10 })).runs.toReversed().map(({ runId }) => runId)
    const cancel = once(() => other.runs.cancel(ids[1] ?? '', cancelled()))
    const ofRun = (runId: string | undefined, workflowId: string) => ({
      ...{ runId, workflowId, workspaceId: 'ws_a', connectionId: 'conn_a' },
      ...{ summary: fanOut(named(4)).summary, startedAt: now },
    })
    const { ended: all } = await runs.claim(10, lease, decideAllBut('wf_2', cancel))
    expect(all).toMatchObject([ofRun(ids[0], 'wf_0'), ofRun(ids[3], 'wf_3')])
    expect((await runs.claim(10, lease, decideAllBut('none'))).ended ?? []).toEqual([])

    await runs.start([fanOut(named(2))], null)
    const overtaken = once(async () => {
      now += lease
      await other.runs.claim(10, lease, () => ended())
    })
    expect((await runs.claim(10, lease, decideAllBut('none', overtaken))).ended ?? []).toEqual([])
  })

  it('are decided for half a lease: the other runs are carried out', async () => {
    const { runs } = await open()
    await runs.start([fanOut(named(4))], null)
    const slowly = () => {
      const end = { ...ended(), endedAt: begin }
      now += lease / 4
      return end
    }
    const { runs: claimed } = await runs.claim(10, lease, slowly)
    expect(claimed.map(({ workflowId }) => workflowId).toSorted()).toEqual(['wf_2', 'wf_3'])
    expect(await statesOf(runs)).toEqual(['succeeded', 'succeeded', 'running', 'running'])
  })

  it('share no ids with the runs of a node that starts again, also before many newer fan-outs', async () => {
    const { runs, second, reopen } = await open()
    const other = await second()
    await runs.start([fanOut(named(4096))], null)
    now += 5
    await other.runs.start(named(101, 'other').map(alone), null)
    for (let n = 0; n < 101; n++) await other.runs.start([alone('other_0')], null)
    const again = await reopen()
    const { ids } = await again.runs.start([alone('late')], null)
    const last = (await again.runs.list({ workflowIds: ['wf_4095'], limit: 1 })).runs[0]?.runId ?? ''
    expect([last, ids[0]].toSorted()).toEqual([last, ids[0]])
    expect((await again.runs.get(ids[0] ?? ''))?.workflowId).toBe('late')
  })
})
