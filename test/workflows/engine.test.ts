import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { WorkflowRecord } from '#main/storage/config.ts'
import { groupedKey } from '#main/storage/deduplication-key.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { isFanOut, type NewRun, type RunDetails } from '#main/storage/runs.ts'
import {
  maxPayloadText,
  maxReadAtOnce,
  maxRunsAtOnce,
  maxRunsOfList,
  maxStepsAtOnce,
} from '#main/workflows/decide-at-once.ts'
import { createWorkflowEngine, type FailureOfRun, type WorkflowEngine } from '#main/workflows/engine.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { ServiceError } from '#shared/errors.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { costOfStep, costOfTemplate, costOfVariable } from '#shared/workflows/scope.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'
import { eventMaker } from '../storage/event-log-events.ts'
import { openTemporary } from '../storage/sqlite/open-temporary.ts'

const at = new Date(now).toISOString()
const large = { value: '{{total}}', operator: 'greater', operand: 100 }
const notify = { key: 'tell', type: 'notify', message: 'Large' }
const check = { key: 'check', type: 'branch', cases: [{ when: large, steps: [notify] }] }
const stop = { key: 'end', type: 'stop', outcome: 'failed', message: 'No {{order_id}}' }
const each = (items: string) => ({
  key: 'lines',
  type: 'each',
  items,
  steps: [{ ...check, key: 'line', cases: [{ when: { ...large, value: '{{item}}' }, steps: [stop] }] }],
})

let engine: WorkflowEngine
let opened: Awaited<ReturnType<typeof openTemporary>>
let log: (typeof opened)['log']
let changes: (string | null)[]
let errors: unknown[]
let failures: FailureOfRun[]
let callFailure = new Error('No step calls.')
const makeEvent = eventMaker(() => now)

// The threads of a log take longer to start than most tests to run. Each test finds neither events nor runs.
beforeAll(async () => {
  opened = await openTemporary({ clock: () => now })
  log = opened.log
})
afterEach(async () => {
  await log.clear('conn_a')
  await log.runs.forget('conn_a')
  expect((await log.runs.list({ limit: 1 })).runs).toEqual([])
})
afterAll(() => opened.dispose())

/** @param count of workflows with these steps. */
async function open(
  steps: unknown[],
  more: Partial<Workflow> = {},
  persistEvents = true,
  count = 1,
): Promise<void> {
  const fields = { workflowId: 'wf_a', workspaceId: 'default', name: 'W', createdAt: at, updatedAt: at }
  const workflow: WorkflowRecord = Workflow.parse({
    ...{ ...fields, trigger: { type: 'external.event' }, steps, ...more },
  })
  const connection = exampleConnection('conn_a', { persistEvents })
  const config = {
    ...withConnections(newConfig(now), connection),
    workflows: new Map(
      Array.from({ length: count }, (_, index) => {
        const workflowId = index === 0 ? workflow.workflowId : `wf_${index}`
        return [workflowId, { ...workflow, workflowId }]
      }),
    ),
  }
  await log.setLanes(lanesOf(config, null))
  errors = []
  changes = []
  failures = []
  engine = createWorkflowEngine({
    store: { snapshot: () => config, onChange: () => () => {} },
    runs: log.runs,
    sealing: createSealer(Buffer.alloc(32)),
    calls: {
      run: async () => Promise.reject(callFailure),
      runInTurn: async () => Promise.reject(callFailure),
    },
    variable: () => undefined,
    notify: () => {},
    onFailed: failure => failures.push(failure),
    onError: error => errors.push(error),
    clock: () => now,
    after: () => () => {},
  })
  onTestFinished(() => engine.stop())
  engine.changes.subscribe(runId => changes.push(runId))
}

function eventWith(data: Record<string, unknown>, more: Partial<LoggedEvent> = {}): LoggedEvent {
  return { ...makeEvent(), bodyText: JSON.stringify({ event: 'order.created', data }), ...more }
}

/** Returns the runs of an event that starts few. */
function runsFor(event: LoggedEvent, data: Record<string, unknown>): readonly NewRun[] {
  const started = engine.runsFor(event, 'default', data)
  return started.map(run => {
    if (isFanOut(run)) throw new Error('The event starts many runs.')
    return run
  })
}

/** Stores an event with its run, and begins the run if it is queued. */
async function receive(data: Record<string, unknown>, more: Partial<LoggedEvent> = {}): Promise<RunDetails> {
  const event = eventWith(data, more)
  const started = engine.runsFor(event, 'default', data)
  const stored = await log.append(event, started)
  const run = await newest()
  if (stored !== null) engine.stored(started, stored, event)
  return run
}

async function newest(): Promise<RunDetails> {
  const [run] = (await log.runs.list({ limit: 1 })).runs
  const details = await log.runs.get(run?.runId ?? '')
  if (details === null) throw new Error('No run was stored.')
  return details
}

describe('a run that only decides', () => {
  test('has ended when its event is stored, with the steps that the queue would record', async () => {
    const data = { order_id: 'ORD-1', total: 5, amounts: [1, 2, 300, 4] }
    const steps = [check, each('{{amounts}}'), notify]
    await open(steps)
    const atOnce = await receive(data)
    expect(changes).toEqual([null])
    expect(atOnce).toMatchObject({
      ...{ state: 'failed', error: '{"code":"stopped","message":"No ORD-1"}', claimNumber: 1 },
      ...{ queuedAt: now, startedAt: now, endedAt: now, data: expect.stringContaining('ORD-1') },
    })
    expect(atOnce.steps.map(({ path }) => path)).toEqual([
      ...['check', 'lines', 'lines.0.line', 'lines.1.line', 'lines.2.line', 'lines.2.end'],
    ])

    await open(steps, { ordered: true })
    expect(await receive(data)).toMatchObject({ state: 'waiting', steps: [] })
    await expect.poll(newest).toMatchObject({ state: 'failed' })
    const { steps: recorded, error } = await newest()
    expect([recorded, error]).toEqual([atOnce.steps, atOnce.error])
  })

  test('is announced if it failed, like one that was queued, and each time that it is retried', async () => {
    const announced = {
      ...{ workflowId: 'wf_a', workflowName: 'W', connectionId: 'conn_a', test: false, discard: false },
      ...{ error: { code: 'stopped', message: 'No ORD-1' }, path: 'lines.0.end', callId: null, endedAt: now },
    }
    await open([each('{{amounts}}')])
    const { runId, eventId } = await receive({ order_id: 'ORD-1', amounts: [5] })
    expect(failures).toEqual([])
    const { runId: failedId } = await receive({ order_id: 'ORD-1', amounts: [500] })
    expect(runId).not.toBe(failedId)
    expect(failures).toEqual([
      {
        ...announced,
        runId: failedId,
        event: { eventId: expect.not.stringMatching(String(eventId)), eventName: 'order.created' },
        data: expect.stringContaining('ORD-1'),
      },
    ])
    await engine.retry(failedId)
    await expect.poll(() => failures.length).toBe(2)
    expect(failures[1]).toEqual(failures[0])

    await open([each('{{amounts}}')], { ordered: true })
    const queued = await receive({ order_id: 'ORD-1', amounts: [500] })
    await expect.poll(() => failures.length).toBe(1)
    expect(failures[0]).toMatchObject({ ...announced, runId: queued.runId })
  })

  test('is marked as a replay', async () => {
    await open([check])
    const run = await receive({ total: 1 }, { replayOf: 'evt_00000000001' })
    expect(run).toMatchObject({ state: 'succeeded', summary: expect.stringContaining('evt_00000000001') })
  })

  test('keeps neither payload nor inputs of a connection that does not store events', async () => {
    await open([check, stop], {}, false)
    expect(await receive({ total: 1, order_id: 'ORD-1' })).toMatchObject({
      ...{
        state: 'failed',
        data: null,
        steps: [
          { input: null, output: null },
          { input: null, output: null },
        ],
      },
    })
  })

  test('can be retried', async () => {
    await open([check, stop])
    const { runId, steps } = await receive({ total: 1 })
    await engine.retry(runId)
    await expect.poll(() => log.runs.get(runId)).toMatchObject({ state: 'failed', claimNumber: 2, steps })
  })

  test.each([
    ['comes to another step', [check], { total: 500 }],
    ['begins with another step', [notify], {}],
    ['takes too many steps', [each('{{all}}')], { all: Array(maxStepsAtOnce).fill(1) }],
    ['has a large payload', [check], { note: 'x'.repeat(maxPayloadText) }],
    [
      'records long inputs',
      [
        {
          ...each('{{all}}'),
          steps: [{ ...check, cases: [{ when: { ...large, value: '{{note}}' }, steps: [] }] }],
        },
      ],
      { note: 'x'.repeat(maxPayloadText / 2), all: Array(maxStepsAtOnce - 1).fill(1) },
    ],
  ])('is queued if it %s', async (_, steps, data) => {
    await open(steps)
    expect(await receive(data)).toMatchObject({ state: 'waiting', claimNumber: 0, steps: [] })
    await expect.poll(newest).toMatchObject({ state: 'succeeded', claimNumber: 1 })
  })

  test('is queued if its conditions read more than the budget', async () => {
    const list = Array(2000).fill(1)
    const contains = { when: { value: '{{list}}', operator: 'contains', operand: 2 }, steps: [] }
    const reading = (times: number) => [{ ...check, cases: Array(times).fill(contains) }, stop]
    const cost = 2 * costOfTemplate + costOfVariable + '{{list}}'.length + JSON.stringify(list).length
    const most = Math.floor((maxReadAtOnce - 2 * costOfStep - costOfTemplate) / cost)
    await open(reading(most))
    expect(await receive({ list })).toMatchObject({ state: 'failed', claimNumber: 1 })
    await open(reading(most + 1))
    expect(await receive({ list })).toMatchObject({ state: 'waiting', steps: [] })
    await expect.poll(newest).toMatchObject({ state: 'failed', claimNumber: 1 })
  })

  test('shares the budget of its event with the runs of other workflows', async () => {
    const list = Array(2000).fill(1)
    const contains = { when: { value: '{{list}}', operator: 'contains', operand: 2 }, steps: [] }
    const count = maxRunsAtOnce
    await open([{ ...check, cases: [contains] }], {}, true, count)
    const started = runsFor(eventWith({ list }), { list })
    const ended = started.filter(run => run.ended !== undefined)
    expect(started).toHaveLength(count)
    expect(ended.length).toBeGreaterThan(5)
    expect(ended.length * JSON.stringify(list).length).toBeLessThan(maxReadAtOnce)
    expect(started.slice(0, ended.length)).toEqual(ended)
  })

  test('is queued if it has very many conditions, even empty ones', async () => {
    const empty = { value: '', operator: 'exists' }
    const when = { any: Array(50).fill({ any: Array(50).fill(empty) }) }
    await open([{ ...check, cases: [{ when, steps: [] }] }, stop])
    expect(await receive({})).toMatchObject({ state: 'waiting', steps: [] })
    await expect.poll(newest).toMatchObject({ state: 'failed', claimNumber: 1 })
  })

  test('is queued if its payload fails unexpectedly', async () => {
    await open([check])
    const event = eventWith({})
    const broken = {
      get total(): number {
        throw new Error('broken')
      },
    }
    expect(runsFor(event, broken)[0]?.ended).toBeUndefined()
    expect(errors).toMatchObject([{ message: 'broken' }])
  })
})

describe('an event that starts many workflows', () => {
  const count = maxRunsAtOnce + 4
  const everyRun = async () => (await log.runs.list({ limit: 200 })).runs

  /** Stores an event, and begins its runs. */
  async function fanOut(data: Record<string, unknown>, more: Partial<LoggedEvent> = {}): Promise<void> {
    const event = eventWith(data, more)
    const started = engine.runsFor(event, 'default', data)
    expect(started).toMatchObject([{ workflowIds: expect.any(Array), data: event.bodyText }])
    const stored = await log.append(event, started)
    if (stored !== null) engine.stored(started, stored, event)
  }

  test('of a list has one row for several workflows if the list starts many runs', async () => {
    await open([stop], {}, true, 2)
    const of = (events?: number) => engine.runsFor(eventWith({}), 'default', {}, events)
    const one = { ended: expect.any(Object) }
    const both = [one, one]
    expect(of()).toMatchObject(both)
    expect(of(maxRunsOfList / 2)).toMatchObject(both)
    expect(of(maxRunsOfList / 2 + 1)).toMatchObject([
      { workflowIds: [expect.any(String), expect.any(String)] },
    ])
    await open([stop])
    expect(of(maxRunsOfList + 1)).toMatchObject([one])
  })

  test('has a run of each, which ends with the steps of one that is decided at once', async () => {
    const data = { order_id: 'ORD-1', total: 5, amounts: [1, 2, 300, 4] }
    const steps = [check, each('{{amounts}}'), notify]
    await open(steps)
    const { steps: recorded, error } = await receive(data)
    await log.runs.forget('conn_a')
    await open(steps, {}, true, count)
    await fanOut(data)
    await expect.poll(async () => (await log.runs.countEnded({})).failed).toBe(count)
    const ended = await everyRun()
    expect(new Set(ended.map(({ workflowId }) => workflowId)).size).toBe(count)
    expect(await newest()).toMatchObject({
      steps: recorded,
      error,
      claimNumber: 1,
      startedAt: now,
      endedAt: now,
    })
    await expect.poll(() => failures.length).toBe(count)
    expect(new Set(failures.map(({ runId }) => runId))).toEqual(new Set(ended.map(({ runId }) => runId)))
  })

  test('keeps nothing of its data if its connection stores no events', async () => {
    await open([check, stop], {}, false, count)
    await fanOut({ order_id: 'ORD-1', total: 5 })
    await expect.poll(async () => (await log.runs.countEnded({})).failed).toBe(count)
    expect(await newest()).toMatchObject({
      ...{ data: null, error: '{"code":"stopped","message":"A stop step ended the run."}' },
      steps: [
        { input: null, output: null },
        { input: null, output: null },
      ],
    })
  })

  test('executes the runs that act, each once', async () => {
    await open([notify], {}, true, count)
    await fanOut({ order_id: 'ORD-1' })
    await expect.poll(async () => (await log.runs.countEnded({})).succeeded).toBe(count)
    expect((await newest()).steps).toMatchObject([{ path: 'tell', attempt: 1, error: null }])
    expect(await log.runs.laneCounts()).toEqual([])
  })
})

describe('a workflow whose trigger has a key', () => {
  const keyed = (key = '{{order_id}}') => ({
    trigger: {
      type: 'external.event' as const,
      connectionId: null,
      eventName: null,
      once: { key, hours: 24 },
    },
  })

  test('gives each run the key of its event, also one that has ended at once', async () => {
    await open([stop], keyed('{{order_id}}-{{headers.x-id}}'))
    const data = { order_id: 'ORD-1' }
    const event = { ...eventWith(data), headerLines: 'X-Id: 7\nX-Id: 8' }
    const [run] = runsFor(event, data)
    expect(run).toMatchObject({
      ended: { state: 'failed' },
      deduplicationKey: groupedKey('wf_a', 'ORD-1-7', now, 24 * 3_600_000),
    })
    const [replayed] = runsFor({ ...event, replayOf: 'evt_00000000001' }, data)
    expect(replayed).not.toHaveProperty('deduplicationKey')
  })

  test('announces the failure of the run that started, and of no duplicate', async () => {
    await open([stop], keyed())
    const data = { order_id: 'ORD-2' }
    for (let n = 0; n < 3; n++) {
      const event = eventWith(data)
      const given = engine.runsFor(event, 'default', data)
      const started = await log.append(event, given)
      if (started !== null) engine.stored(given, started, event)
    }
    expect(failures).toHaveLength(1)
    expect((await log.runs.list({ limit: 10 })).runs).toHaveLength(1)
  })

  test('is not among the many workflows of a fan-out', async () => {
    const count = maxRunsAtOnce + 1
    await open([stop], {}, true, count)
    const config = engine.runsFor(eventWith({}), 'default', {})
    expect(config).toMatchObject([{ workflowIds: expect.any(Array) }])
    await open([stop], keyed(), true, count)
    const data = { order_id: 'ORD-3' }
    const runs = runsFor(eventWith(data), data)
    expect(new Set(runs.map(({ deduplicationKey }) => deduplicationKey?.digest)).size).toBe(count)
  })

  test('is started by each event without a value for it', async () => {
    await open([stop], keyed())
    const [run] = runsFor(eventWith({}), {})
    expect(run).not.toHaveProperty('deduplicationKey')
    expect(JSON.parse(run?.summary ?? '')).toEqual({ eventName: 'order.created', emptyKey: true })
  })
})

test('a run is left as it is before a call that its node may not make', async () => {
  await open([{ key: 'get', type: 'http', method: 'GET', url: 'http://127.0.0.1:1/' }])
  const before = callFailure
  callFailure = new ServiceError('storage_unavailable')
  onTestFinished(() => {
    callFailure = before
  })
  await receive({})
  await expect.poll(async () => [(await newest()).state, engine.underWay()]).toEqual(['running', 0])
  expect([errors, failures]).toEqual([[], []])
})

test('a run that ends while those of its connection go on stays ended', async () => {
  await open([{ key: 'get', type: 'http', method: 'GET', url: 'http://127.0.0.1:1/' }])
  const event = eventWith({})
  await log.append(event, engine.runsFor(event, 'default', {}))
  const {
    runs: [run],
  } = await log.runs.claim(1, 60_000)
  if (run === undefined) throw new Error('No run was claimed.')
  const error = { code: 'rate_limited', message: '', since: now, path: 'get', connectionId: 'conn_a' }
  await log.runs.retryAt(run, now + 60_000, JSON.stringify(error))
  const list = log.runs.list.bind(log.runs)
  const listed = vi.spyOn(log.runs, 'list').mockImplementationOnce(async query => {
    const page = await list(query)
    await log.runs.cancel(run.runId, { endedAt: now, discard: false })
    return page
  })
  onTestFinished(() => listed.mockRestore())
  await engine.goOn('conn_a')
  expect(listed).toHaveBeenCalledOnce()
  expect((await newest()).state).toBe('cancelled')
})
