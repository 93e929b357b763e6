import { DatabaseSync } from 'node:sqlite'
import { array, assert, asyncProperty, constantFrom, nat, oneof, record, subarray } from 'fast-check'
import { expect, it } from 'vitest'
import type { ClaimedRun, Run, RunStore } from '#main/storage/runs.ts'
import { openTemporary } from './open-temporary.ts'

const workflows = ['wf_a', 'wf_b', 'wf_c', 'wf_d']
const connections = ['conn_a', 'conn_b']
const leaseMs = 1000

const change = oneof(
  record({
    does: constantFrom('start' as const),
    workflowIds: oneof(constantFrom(workflows), subarray(workflows, { minLength: 1 })),
    connectionId: constantFrom('conn_a', 'conn_a', 'conn_b'),
  }),
  record({ does: constantFrom('claim' as const), room: nat(12) }),
  record({
    does: constantFrom('end' as const, 'finish' as const, 'retry' as const, 'record' as const),
    from: nat(10),
    count: nat(6),
  }),
  record({ does: constantFrom('cancel' as const, 'reopen' as const), index: nat(40) }),
  record({ does: constantFrom('forget' as const), connectionId: constantFrom(...connections) }),
  record({
    does: constantFrom('limit' as const),
    lane: constantFrom(...workflows),
    limit: constantFrom(0, 1, 3, 10, 'ordered' as const, 'cancelled' as const),
  }),
  record({ does: constantFrom('reopen the log' as const, 'fail' as const, 'recover' as const) }),
  record({ does: constantFrom('wait' as const), ms: nat(2 * leaseMs) }),
)

async function allOf(runs: RunStore): Promise<Run[]> {
  const all: Run[] = []
  for (let before: string | undefined; ; ) {
    const page = await runs.list({ limit: 200, before })
    all.push(...page.runs)
    if (page.nextBefore === null) return all
    before = page.nextBefore
  }
}

/** Makes about every other change of a row fail, until the function that it returns is called. */
function failing(file: string): () => void {
  // The log's threads may hold the lock now.
  const database = new DatabaseSync(file, { timeout: 60_000 })
  const triggers = ['workflow_lists', 'fan_outs', 'early_runs', 'runs'].flatMap(table =>
    ['INSERT', 'UPDATE', 'DELETE'].map(change => ({ name: `refuse_${change}_${table}`, table, change })),
  )
  for (const { name, table, change } of triggers)
    database.exec(`CREATE TRIGGER ${name} AFTER ${change} ON ${table} WHEN random() % 2 = 0
      BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  return () => {
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
    database.close()
  }
}

it('has each run of each event once, after any changes, failures and restarts', async () => {
  let refused = 0
  await assert(
    asyncProperty(array(change, { minLength: 30, maxLength: 80 }), async changes => {
      let now = 1_000_000
      const opened = await openTemporary({ clock: () => now })
      let { runs } = opened.log
      /** The runs that must be there, by event. */
      const expected = new Map<string, number>()
      const ofConnection = new Map<string, string>()
      const done = new Set<string>()
      let claimed: ClaimedRun[] = []
      let recovered = () => {}
      const limits = new Map<string, number | 'ordered' | 'cancelled'>(workflows.map(lane => [lane, 3]))
      const setLimits = async () => {
        for (const [lane, limit] of limits) await opened.setLane(lane, limit)
      }
      await setLimits()
      let isFailing = false
      const tried = async <Result>(work: Promise<Result>): Promise<Result | null> =>
        work.catch(error => {
          if (!isFailing) throw error
          refused++
          return null
        })
      let events = 0
      const end = { state: 'succeeded', error: null, discard: false } as const
      try {
        for (const one of changes) {
          // A forgotten run leaves its id to others of the same millisecond.
          now++
          if (one.does === 'wait') now += one.ms
          else if (one.does === 'fail') {
            if (!isFailing) recovered = failing(opened.file)
            isFailing = true
          } else if (one.does === 'recover') {
            if (isFailing) recovered()
            isFailing = false
          } else if (one.does === 'reopen the log') {
            if (isFailing) recovered()
            isFailing = false
            runs = (await opened.reopen()).runs
            await setLimits()
          } else if (one.does === 'limit') {
            limits.set(one.lane, one.limit)
            await opened.setLane(one.lane, one.limit)
          } else if (one.does === 'start') {
            const { workflowIds, connectionId } = one
            const eventId = `evt_${(++events).toString(36).padStart(11, '0')}`
            const shared = { workspaceId: 'ws', connectionId, queuedAt: now, summary: '{}', data: '{}' }
            if ((await tried(runs.start([{ ...shared, workflowIds }], eventId))) === null) continue
            expected.set(eventId, workflowIds.length)
            ofConnection.set(eventId, connectionId)
          } else if (one.does === 'claim') {
            const { runs: found = [] } = (await tried(runs.claim(one.room, leaseMs))) ?? {}
            for (const { runId } of found) expect(done).not.toContain(runId)
            claimed.push(...found)
          } else if (one.does === 'forget') {
            if (isFailing) continue
            await runs.forget(one.connectionId)
            for (const [eventId, id] of ofConnection) if (id === one.connectionId) expected.delete(eventId)
            for (const run of await allOf(runs)) expect(run.connectionId).not.toBe(one.connectionId)
          } else if ('index' in one) {
            const run = (await allOf(runs))[one.index]
            if (run === undefined) continue
            const cancelled = { endedAt: now, discard: false }
            if (one.does === 'cancel' && (await tried(runs.cancel(run.runId, cancelled)))) done.add(run.runId)
            if (one.does === 'reopen' && (await tried(runs.reopen(run.runId)))) done.delete(run.runId)
          } else if ('from' in one) {
            const some = claimed.slice(one.from, one.from + one.count)
            claimed = claimed.filter(run => !some.includes(run))
            const pending = one.does === 'end' ? some.filter(run => run.isPending) : []
            const ends = pending.map(run => ({
              ...{ ...run, startedAt: run.startedAt ?? now },
              ended: { ...end, endedAt: now, steps: [] },
            }))
            const kept = (await tried(runs.endPending(ends))) ?? []
            for (const [index, { runId }] of pending.entries()) if (kept[index]) done.add(runId)
            for (const run of some.filter(run => !pending.includes(run))) {
              if (one.does === 'retry') await tried(runs.retryAt(run, now + 500, null))
              else if (one.does === 'record') await tried(runs.record(run, []))
              else if (await tried(runs.finish(run, { ...end, endedAt: now }))) done.add(run.runId)
            }
          }
          const all = await allOf(runs)
          const counts = Map.groupBy(all, ({ eventId }) => eventId)
          expect(new Map([...counts].map(([id, of]) => [id, of.length]))).toEqual(expected)
          expect(new Set(all.map(({ runId }) => runId)).size).toBe(all.length)
          const isEnded = ({ endedAt }: Run) => endedAt !== null
          for (const run of all) expect(isEnded(run), run.runId).toBe(done.has(run.runId))
          expect((await runs.countEnded({})).succeeded).toBe(
            all.filter(run => run.state === 'succeeded').length,
          )
          const open = all.filter(run => !isEnded(run))
          const lanes = await runs.laneCounts()
          expect(
            lanes.reduce((sum, { waiting, retrying, running }) => sum + waiting + retrying + running, 0),
          ).toBe(open.length)
        }
      } finally {
        if (isFailing) recovered()
        await opened.dispose()
      }
    }),
    { numRuns: 8, endOnFailure: true },
  )
  expect(refused).toBeGreaterThan(0)
})
