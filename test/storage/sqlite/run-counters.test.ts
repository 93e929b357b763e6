import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  tuple,
} from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { roundedUp } from '#main/storage/rows/durations.ts'
import type { Run, RunStore } from '#main/storage/runs.ts'
import { hourMs, minuteMs } from '#shared/durations.ts'
import { waitMs } from '../../support/patience.ts'
import { openTemporary } from './open-temporary.ts'

const workflows = ['wf_a', 'wf_b']
const connections = ['conn_a', 'conn_b']
const states = ['succeeded', 'failed', 'cancelled'] as const
const isEnded = ({ state }: Run) => states.some(one => one === state)

async function allOf(runs: RunStore): Promise<Run[]> {
  const all: Run[] = []
  for (let before: string | undefined; ; ) {
    const page = await runs.list({ limit: 200, before })
    all.push(...page.runs)
    if (page.nextBefore === null) return all
    before = page.nextBefore
  }
}

function countsOf(runs: readonly Run[]) {
  const [succeeded, failed, cancelled] = states.map(state => runs.filter(run => run.state === state).length)
  return { succeeded, failed, cancelled }
}

/** Returns the figures of a workflow, from all its runs. */
function figuresOf(all: readonly Run[], workflowId: string, now: number) {
  const firstHour = Math.floor(now / hourMs) - 23
  const own = all.filter(run => run.workflowId === workflowId && run.lane === workflowId)
  const ended = own.filter(isEnded).map(run => ({ ...run, endedAt: run.endedAt ?? 0 }))
  const inHour = (hour: number) => ended.filter(run => Math.floor(run.endedAt / hourMs) === firstHour + hour)
  const durations = ended
    .filter(run => run.state === 'succeeded' && run.endedAt >= firstHour * hourMs)
    .map(run => roundedUp(run.endedAt - (run.startedAt ?? run.endedAt)))
    .sort((one, other) => one - other)
  return {
    workflowId,
    hours: Array.from({ length: 24 }, (_, hour) => {
      const { succeeded, failed } = countsOf(inHour(hour))
      return { succeeded, failed }
    }),
    failedLastHour: ended.filter(
      run => run.state === 'failed' && run.endedAt >= Math.floor((now - hourMs) / minuteMs) * minuteMs,
    ).length,
    p95Ms: durations[Math.floor(0.95 * (durations.length - 1))] ?? null,
    lastRun:
      own[0] === undefined ? null : expect.objectContaining({ runId: own[0].runId, state: own[0].state }),
  }
}

const change = oneof(
  record({
    does: constantFrom('start' as const),
    workflow: constantFrom(...workflows),
    connection: constantFrom(...connections),
    isTest: constantFrom(false, false, true),
    endsAs: constantFrom(null, ...states),
  }),
  record({ does: constantFrom('end' as const), endsAs: constantFrom(...states), tookMs: nat(100_000) }),
  record({ does: constantFrom('cancel' as const, 'reopen' as const), index: nat(20) }),
  record({ does: constantFrom('forget' as const), connection: constantFrom(...connections) }),
  record({ does: constantFrom('read' as const) }),
  record({ does: constantFrom('wait' as const), ms: oneof(nat(90_000), nat(3 * hourMs)) }),
)
type Change = typeof change extends Arbitrary<infer One> ? One : never

it('counts what a recount finds, after any changes and a restart', async () => {
  let now = Date.UTC(2026, 0, 1)
  // Finished runs beyond a few are deleted.
  const runBounds = { mostPerWorkflow: 12, maxAgeMs: 20 * hourMs }
  const opened = await openTemporary({ clock: () => now, runBounds })
  onTestFinished(() => opened.dispose())
  let { runs } = opened.log

  async function carryOut(one: Change): Promise<void> {
    if (one.does === 'wait') now += one.ms
    else if (one.does === 'read') await runs.figures(workflows, now)
    else if (one.does === 'forget') await runs.forget(one.connection)
    else if (one.does === 'start') {
      const { workflow, connection, isTest, endsAs } = one
      const lane = isTest ? `test/${workflow}` : workflow
      await opened.setLane(lane, 100)
      const steps = { error: null, discard: false, steps: [] }
      const ended = endsAs === null ? {} : { ended: { state: endsAs, endedAt: now, ...steps } }
      const facts = { workflowId: workflow, workspaceId: 'ws', connectionId: connection, lane }
      await runs.start([{ ...facts, queuedAt: now, summary: '{}', data: '{}', ...ended }], null)
    } else if (one.does === 'end') {
      const [claimed] = (await runs.claim(1, 1)).runs
      now += one.tookMs
      const end = { state: one.endsAs, endedAt: now, error: null, discard: false }
      if (claimed !== undefined) await runs.finish(claimed, end)
    } else {
      const run = (await allOf(runs))[one.index]
      if (run === undefined) return
      if (one.does === 'reopen') await runs.reopen(run.runId)
      else await runs.cancel(run.runId, { endedAt: now, discard: false })
    }
  }

  async function expectRecount(since: number): Promise<void> {
    const all = await allOf(runs)
    const ended = all.filter(isEnded)
    const found = {
      all: await runs.countEnded({}),
      ofOne: await runs.countEnded({ workspaceId: 'ws', workflowIds: ['wf_b'] }),
      since: await runs.countEnded({ since }),
      figures: await runs.figures(workflows, now),
    }
    expect(found).toEqual({
      all: countsOf(ended),
      ofOne: countsOf(ended.filter(run => run.workflowId === 'wf_b')),
      since: countsOf(ended.filter(run => run.queuedAt >= since)),
      figures: workflows.map(one => figuresOf(all, one, now)),
    })
  }

  const changes = array(change, { minLength: 20, maxLength: 60 })
  // Opening takes longer than all changes together, so the cases share a log, and a third of them open it again.
  const restartAt = nat(119)
  const since = tuple(integer({ min: 0, max: 30 }), nat(hourMs))
  await assert(
    asyncProperty(changes, restartAt, since, async (changes, restartAt, [hours, ms]) => {
      for (const [index, one] of changes.entries()) {
        if (index === restartAt) runs = (await opened.reopen()).runs
        await carryOut(one)
      }
      // Deletions may still be under way: what they delete between two reads is read again.
      await vi.waitFor(() => expectRecount(now - hours * hourMs + ms), { timeout: waitMs })
      for (const connection of connections) await runs.forget(connection)
      await expectRecount(0)
    }),
    { numRuns: 12, endOnFailure: true },
  )
})

it('rounds durations up by less than a thirty-second', () => {
  for (let ms = 0; ms < 64; ms++) expect(roundedUp(ms)).toBe(ms)
  for (const ms of [64, 65, 99, 1000, 60_000, 86_400_000, 2 ** 32, 2 ** 32 + 1]) {
    expect(roundedUp(ms)).toBeGreaterThanOrEqual(ms)
    expect(roundedUp(ms)).toBeLessThan(ms * (1 + 1 / 32))
    expect(roundedUp(roundedUp(ms))).toBe(roundedUp(ms))
  }
})
