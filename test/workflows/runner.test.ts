import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { createSealer } from '#main/storage/local/secrets.ts'
import type { Claimed, Run, RunOwner, RunStore } from '#main/storage/runs.ts'
import { type Attempted, maxComputedText, maxRunText } from '#main/workflows/attempt-records.ts'
import type { EffectContext, OuterEffect } from '#main/workflows/execute.ts'
import { createRunner, type Runner } from '#main/workflows/runner.ts'
import { ServiceError } from '#shared/errors.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { openTemporary } from '../storage/sqlite/open-temporary.ts'

type Opened = Awaited<ReturnType<typeof openTemporary>>
const at = '2026-11-22T10:00:00.000Z'
const start = Date.parse(at)

/** A clock with timers that only a test moves. */
function createTime() {
  let now = start
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    clock: () => now,
    after(delayMs: number, callback: () => void) {
      if (delayMs < 0) throw new RangeError('A timer of Node would warn.')
      const timer = { at: now + delayMs, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    /** Milliseconds until the next timer; null without one. */
    next: () => (timers.size === 0 ? null : Math.min(...[...timers].map(({ at }) => at)) - now),
    /** Moves the clock alone, as while the computer sleeps. */
    sleep(ms: number) {
      now += ms
    },
    advance(ms: number) {
      now += ms
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.callback()
      }
    },
  }
}

let opened: Opened
let runs: RunStore
let time = createTime()
let runner: Runner | null
let workflows: Map<string, Workflow>
let calls: { path: string; number: number; input: unknown }[]
let answer: (effect: OuterEffect, context: EffectContext) => Attempted | Promise<Attempted>
let errors: unknown[]
let ended: { run: RunOwner; state: string }[]

// The threads of a log take longer to start than most tests to run. Each test finds no runs.
beforeAll(async () => {
  opened = await openTemporary({ clock: () => time.clock() })
  runs = opened.log.runs
})
afterAll(() => opened.dispose())

beforeEach(() => {
  time = createTime()
  workflows = new Map()
  calls = []
  errors = []
  ended = []
  answer = () => ok(null)
  runner = null
})
afterEach(async () => {
  await runner?.stop()
  await runs.forget('conn_1')
  expect(errors).toEqual([])
  expect((await runs.list({ limit: 1 })).runs).toEqual([])
})

const ok = (output: unknown): Attempted => ({ ok: true, output, callId: null })
const failure = (code: string, isRetriable: boolean): Attempted => ({
  ok: false,
  error: { code, message: code },
  isRetriable,
  callId: null,
})
const action = (key: string, given = {}, more = {}) => ({
  key,
  type: 'action',
  connectionId: 'conn_2',
  toolName: 'reserve',
  arguments: given,
  ...more,
})

function define(steps: unknown[], more: Partial<Workflow> = {}): Workflow {
  const workflow = Workflow.parse({
    workflowId: 'wf_a',
    workspaceId: 'default',
    name: 'W',
    trigger: { type: 'external.event' },
    steps,
    createdAt: at,
    updatedAt: at,
    ...more,
  })
  workflows.set(workflow.workflowId, workflow)
  void opened.setLane('wf_a', workflow.ordered ? 'ordered' : workflow.concurrency)
  return workflow
}

function startRunner(mode: 'normal' | 'test' | 'dry' = 'normal'): Runner {
  const started: Runner = createRunner({
    runs,
    sealing: createSealer(Buffer.alloc(32)),
    workflowOf: ({ workflowId }) => workflows.get(workflowId),
    payloadOf: run => ({ ...JSON.parse(run.data), eventName: 'order.paid', connectionId: run.connectionId }),
    variable: () => undefined,
    decide: () => null,
    async perform(effect, context) {
      const number = calls.filter(({ path }) => path === context.path).length + 1
      calls.push({ path: context.path, number, input: effect.kind === 'action' ? effect.arguments : null })
      return answer(effect, context)
    },
    discards: () => false,
    modeOf: () => mode,
    onEnded: (run, state) => ended.push({ run, state }),
    onFailed: () => {},
    onError: error => {
      if (runner === started) errors.push(error)
    },
    clock: time.clock,
    random: () => 0.5,
    after: time.after,
  })
  runner = started
  started.wake()
  return started
}

async function queue(count = 1, data: unknown = { total: 149 }): Promise<string[]> {
  const run = {
    workflowId: 'wf_a',
    workspaceId: 'default',
    connectionId: 'conn_1',
    lane: 'wf_a',
    queuedAt: time.clock(),
    summary: '{}',
  }
  const { ids } = await runs.start(
    Array.from({ length: count }, () => ({ ...run, data: JSON.stringify(data) })),
    null,
  )
  runner?.wake()
  return [...ids]
}

const stateOf = async (id = '') => (await runs.get(id))?.state
const reaches = (id: string | undefined, state: string) => expect.poll(() => stateOf(id)).toBe(state)

/** Moves the clock from timer to timer until a run has ended. */
async function untilEnded(id = ''): Promise<void> {
  for (;;) {
    const run = await runs.get(id)
    if (run?.endedAt != null) return
    if (run?.state === 'retrying' && run.dueAt !== null) time.advance(Math.max(0, run.dueAt - time.clock()))
    await new Promise(setImmediate)
  }
}

describe('a run', () => {
  test('takes its steps, each with its input, output and variables that had no value', async () => {
    define([
      action('first', { total: '{{total}}', none: '{{no.such}}' }),
      action('second', { id: '{{steps.first.id}}' }),
      { key: 'end', type: 'stop', outcome: 'succeeded' },
    ])
    answer = (_, { path }) => ok({ id: `${path}-1`, total: JSON.rawJSON('1.10') })
    startRunner()
    const [id] = await queue()
    await reaches(id, 'succeeded')
    const step = { startedAt: start, endedAt: start, attempt: 1, error: null, callId: null }
    expect((await runs.get(id ?? ''))?.steps).toEqual([
      {
        ...step,
        path: 'first',
        type: 'action',
        input: '{"total":149}',
        output: '{"id":"first-1","total":1.10}',
        absent: ['no.such'],
      },
      {
        ...step,
        path: 'second',
        type: 'action',
        input: '{"id":"first-1"}',
        output: '{"id":"second-1","total":1.10}',
        absent: [],
      },
      { ...step, path: 'end', type: 'stop', input: 'null', output: '{"message":""}', absent: [] },
    ])
  })

  test('stores at most 16 MiB of inputs if a loop inserts a large field into each step', async () => {
    const each = {
      ...{ key: 'lines', type: 'each', items: '{{lines}}' },
      steps: [action('call', { text: '{{text}}' })],
    }
    define([each, action('last', { text: '{{text}}' })])
    answer = () => ok('done')
    let turns = 0
    const counting = setInterval(() => turns++, 1)
    startRunner()
    const [id] = await queue(1, { text: 'a'.repeat(300_000), lines: Array(200).fill(1) })
    await reaches(id, 'succeeded')
    clearInterval(counting)
    const steps = (await runs.get(id ?? ''))?.steps ?? []
    expect(steps).toHaveLength(202)
    expect(steps.reduce((sum, { input }) => sum + (input?.length ?? 0), 0)).toBeLessThanOrEqual(maxRunText)
    expect(steps.at(-1)).toMatchObject({ input: null, output: '"done"', isCut: true })
    expect(turns).toBeGreaterThan(5)
  })

  test('stores at most 2 MiB of the inputs of branches', async () => {
    const cases = Array.from({ length: 20 }, () => ({
      when: { any: Array(40).fill({ value: '{{text}}', operator: 'starts_with', operand: 'x' }) },
      steps: [],
    }))
    const check = { key: 'check', type: 'branch', cases: cases.slice(0, 3) }
    const each = { key: 'lines', type: 'each', items: '{{lines}}', steps: [check] }
    define([each, action('last', { text: '{{text}}' })])
    answer = () => ok('done')
    startRunner()
    const [id] = await queue(1, { text: 'a'.repeat(1900), lines: Array(30).fill(1) })
    await reaches(id, 'succeeded')
    const steps = (await runs.get(id ?? ''))?.steps ?? []
    const branches = steps.filter(({ type }) => type === 'branch')
    const total = branches.reduce((sum, { input }) => sum + (input?.length ?? 0), 0)
    expect(total).toBeGreaterThan(maxComputedText / 2)
    expect(total).toBeLessThanOrEqual(maxComputedText)
    expect(branches.at(-1)).toMatchObject({ input: null, isCut: true })
    expect(steps.at(-1)).toMatchObject({ path: 'last', input: expect.stringContaining('aaa') })
  })

  test('stores at most 16 MiB of outputs, and later steps read the rest as empty', async () => {
    const each = { key: 'lines', type: 'each', items: '{{lines}}', steps: [action('call')] }
    const last = {
      key: 'inner',
      type: 'each',
      items: '{{more}}',
      steps: [action('one'), action('two', { a: '{{steps.one}}' })],
    }
    define([each, last])
    answer = ({ kind }) => ok(kind === 'action' ? 'a'.repeat(250_000) : null)
    startRunner()
    const [id] = await queue(1, { lines: Array(70).fill(1), more: [1, 2] })
    await reaches(id, 'succeeded')
    const steps = (await runs.get(id ?? ''))?.steps ?? []
    expect(steps.reduce((sum, { output }) => sum + (output?.length ?? 0), 0)).toBeLessThanOrEqual(maxRunText)
    expect(steps.at(-1)).toMatchObject({
      path: 'inner.1.two',
      input: '{"a":null}',
      output: null,
      isCut: true,
    })
  })

  test('retries a step eight times over about an hour, then fails', async () => {
    define([action('call')])
    answer = () => failure('timeout', true)
    startRunner()
    const [id = ''] = await queue()
    await untilEnded(id)
    const run = await runs.get(id)
    expect([run?.state, run?.error, calls.length]).toEqual([
      'failed',
      '{"code":"timeout","message":"timeout"}',
      8,
    ])
    expect(run?.steps.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const minutes = ((run?.endedAt ?? 0) - start) / 60_000
    expect(minutes).toBeGreaterThan(50)
    expect(minutes).toBeLessThan(70)
  })

  test.each([
    ['retry', 'bad_request', false, ['call'], 'failed'],
    ['stop', 'timeout', true, ['call'], 'failed'],
    ['continue', 'bad_request', false, ['call', 'after'], 'succeeded'],
  ])(
    'with onFailure %s after %s makes the calls %j',
    async (onFailure, code, isRetriable, expected, state) => {
      define([action('call', {}, { onFailure }), action('after')])
      answer = (_, { path }) => (path === 'call' ? failure(code, isRetriable) : ok(1))
      startRunner()
      const [id] = await queue()
      await reaches(id, state)
      expect(calls.map(({ path }) => path)).toEqual(expected)
    },
  )

  test('continues at its unfinished step after a crash, and repeats no finished one', async () => {
    define([
      action('first', {}, { onFailure: 'continue' }),
      action('second', {}),
      action('third', { id: '{{steps.second.id}}' }),
    ])
    const held = Promise.withResolvers<Attempted>()
    answer = (_, { path }) =>
      path === 'first' ? failure('bad_request', false) : path === 'second' ? ok({ id: 7 }) : held.promise
    startRunner()
    const [id] = await queue()
    await expect.poll(() => calls.length).toBe(3)
    // The first process is gone: its claim is void once the next has opened the log.
    await crash()
    held.resolve(ok('too late'))
    answer = () => ok('done')
    startRunner()
    await reaches(id, 'succeeded')
    expect(calls.map(({ path, number }) => `${path} ${number}`)).toEqual([
      'first 1',
      'second 1',
      'third 1',
      'third 2',
    ])
    expect(calls.at(-1)?.input).toEqual({ id: 7 })
  })

  test('waits, over a restart, and knows when it goes on', async () => {
    define([{ key: 'wait', type: 'wait', seconds: 3600 }, action('after')])
    startRunner()
    const [id = ''] = await queue()
    await reaches(id, 'retrying')
    expect(await runs.get(id)).toMatchObject({ dueAt: start + 3_600_000, error: null })
    time.advance(3_000_000)
    await crash()
    startRunner()
    time.advance(599_999)
    await expect.poll(() => time.next()).toBe(1)
    expect(calls).toEqual([])
    time.advance(1)
    await reaches(id, 'succeeded')
    expect((await runs.get(id))?.steps[0]).toMatchObject({ startedAt: start, endedAt: start + 3_600_000 })
  })

  test('goes on at once after a time that has passed, and says so', async () => {
    const due = (offsetMs: number) => new Date(start + offsetMs).toISOString()
    define([
      { key: 'past', type: 'wait', until: '{{past}}' },
      { key: 'now', type: 'wait', until: '{{now}}' },
      { key: 'far', type: 'wait', until: '{{far}}' },
    ])
    startRunner()
    const [id = ''] = await queue(1, { past: due(-1), now: due(0), far: due(366 * 86_400_000 + 1) })
    await reaches(id, 'failed')
    const run = await runs.get(id)
    expect(run?.steps.map(({ output }) => output && JSON.parse(output))).toEqual([
      { until: due(-1), note: 'The time had already passed, so the run went on at once.' },
      { until: due(0) },
      null,
    ])
    expect(JSON.parse(run?.error ?? '')).toEqual({
      code: 'invalid_time',
      message: 'A step can wait for at most a year.',
    })
  })

  test('is retried by hand from its failed step, with as many attempts as before', async () => {
    define([action('first'), action('second')])
    answer = (_, { path }) => (path === 'first' ? ok(1) : failure('timeout', true))
    startRunner()
    const [id = ''] = await queue()
    await untilEnded(id)
    expect(await runs.reopen(id)).toBe(true)
    let left = 3
    answer = () => (left-- > 0 ? failure('timeout', true) : ok(2))
    runner?.wake()
    await untilEnded(id)
    expect(await stateOf(id)).toBe('succeeded')
    expect(calls.filter(({ path }) => path === 'first')).toHaveLength(1)
    expect((await runs.get(id))?.steps.at(-1)).toMatchObject({ path: 'second', attempt: 12, output: '2' })
  })

  test('ends at once when it is cancelled, and the outcome of its call is not kept', async () => {
    define([action('call')])
    answer = (_, { signal }) =>
      new Promise(resolve => signal.addEventListener('abort', () => resolve(ok('late'))))
    startRunner()
    const [id = ''] = await queue()
    await expect.poll(() => calls.length).toBe(1)
    await runs.cancel(id, { endedAt: time.clock(), discard: false })
    runner?.interrupt(({ runId }) => runId === id)
    await reaches(id, 'cancelled')
    expect((await runs.get(id))?.steps).toEqual([])
  })

  describe('whose lease', () => {
    let aborted: string[]
    const callWithoutEnd = async () => {
      aborted = []
      define([action('call')])
      answer = (_, { run, signal }) =>
        new Promise(resolve =>
          signal.addEventListener('abort', () => {
            aborted.push(`${run.runId} ${run.claimNumber}`)
            resolve(ok(null))
          }),
        )
      startRunner()
      const [id = ''] = await queue()
      await expect.poll(() => calls.length).toBe(1)
      return id
    }

    test('another process ended, is interrupted within four seconds', async () => {
      const id = await callWithoutEnd()
      await runs.cancel(id, { endedAt: time.clock(), discard: false })
      time.advance(3999)
      await expect.poll(() => aborted).toEqual([`${id} 1`])
      expect(await stateOf(id)).toBe('cancelled')
    })

    test('cannot be renewed, is interrupted a second before it ends', async () => {
      const id = await callWithoutEnd()
      const renew = vi.spyOn(runs, 'renew').mockRejectedValue(new ServiceError('storage_unavailable'))
      onTestFinished(() => renew.mockRestore())
      for (let second = 1; second <= 8; second++) {
        time.advance(1000)
        await new Promise(setImmediate)
      }
      expect(aborted).toEqual([])
      time.advance(1000)
      await expect.poll(() => aborted).toEqual([`${id} 1`])
      errors.length = 0
      answer = () => ok(null)
      time.advance(2000)
      await reaches(id, 'succeeded')
    })

    test('was renewed only after its end, is interrupted at once', async () => {
      const id = await callWithoutEnd()
      const renew = vi.spyOn(runs, 'renew').mockImplementation(async claims => {
        time.sleep(11_000)
        return claims.map(({ runId }) => runId)
      })
      onTestFinished(() => renew.mockRestore())
      time.advance(3000)
      await expect.poll(() => time.next()).toBe(0)
      answer = () => ok(null)
      time.advance(0)
      await reaches(id, 'succeeded')
      expect(aborted).toEqual([`${id} 1`])
    })

    /** Returns a method whose first call arrives only once the lease has ended, before the timers. */
    function sleepingOnce<Given extends unknown[], Result>(original: (...given: Given) => Promise<Result>) {
      let hasSlept = false
      return async (...given: Given) => {
        const result = await original(...given)
        if (!hasSlept) time.sleep(11_000)
        hasSlept = true
        return result
      }
    }

    test('ended while the computer slept as it was claimed or carried out, begins no step by it', async () => {
      define([action('first'), action('second')])
      const { claim, record } = runs
      for (const method of ['claim', 'record'] as const) {
        const attempts: number[] = []
        answer = (_effect, { run }) => {
          attempts.push(run.claimNumber)
          return ok(null)
        }
        if (method === 'claim') vi.spyOn(runs, method).mockImplementation(sleepingOnce(claim.bind(runs)))
        else vi.spyOn(runs, method).mockImplementation(sleepingOnce(record.bind(runs)))
        onTestFinished(() => void vi.restoreAllMocks())
        const [id = ''] = await queue()
        if (runner === null) startRunner()
        await reaches(id, 'succeeded')
        vi.restoreAllMocks()
        expect(attempts).toEqual(method === 'claim' ? [2, 2] : [1, 2])
      }
    })

    test('ended while the computer slept, goes on once', async () => {
      const id = await callWithoutEnd()
      time.sleep(3_600_000)
      answer = () => ok(null)
      runner?.wake()
      await reaches(id, 'succeeded')
      expect(aborted).toEqual([`${id} 1`])
      expect(await runs.get(id)).toMatchObject({ claimNumber: 2 })
    })
  })

  test('neither waits nor retries as a test', async () => {
    define([{ key: 'wait', type: 'wait', seconds: 3600 }, action('call')])
    answer = () => failure('timeout', true)
    startRunner('test')
    const [id] = await queue()
    await reaches(id, 'failed')
    expect(calls).toHaveLength(1)
  })

  describe('whose workflow is deleted', () => {
    function deleteWorkflow(): void {
      workflows.clear()
      void opened.setLane('wf_a', 'cancelled')
      runner?.interrupt(() => true)
      runner?.wake()
    }

    test('is cancelled during a step, whose effect is aborted', async () => {
      define([action('call'), action('after')])
      answer = (_, { signal }) =>
        new Promise(resolve => signal.addEventListener('abort', () => resolve(ok('late'))))
      startRunner()
      const [id] = await queue()
      await expect.poll(() => calls.length).toBe(1)
      deleteWorkflow()
      await reaches(id, 'cancelled')
      expect(calls).toHaveLength(1)
    })

    test.each([
      ['rejects', () => Promise.reject(new Error('aborted'))],
      ['answers', () => Promise.resolve(ok('late'))],
    ])('begins no further step when the aborted effect %s', async (_, late) => {
      define([action('call', {}, { onFailure: 'continue' }), { key: 'tell', type: 'notify', message: 'm' }])
      answer = () => {
        deleteWorkflow()
        return late()
      }
      startRunner()
      const [id] = await queue()
      await reaches(id, 'cancelled')
      expect(calls).toHaveLength(1)
    })

    test('is cancelled while the outcome of a step is written', async () => {
      define([action('call'), { key: 'tell', type: 'notify', message: 'm' }])
      let written = 0
      startRunner()
      const unsubscribe = runs.changes.subscribe(() => {
        if (calls.length === 1 && written++ === 0) deleteWorkflow()
      })
      onTestFinished(unsubscribe)
      const [id] = await queue()
      await reaches(id, 'cancelled')
      expect(calls).toHaveLength(1)
    })

    test('is cancelled while it waits, long before it is due', async () => {
      define([{ key: 'wait', type: 'wait', seconds: 3600 }, action('after')], { concurrency: 3 })
      startRunner()
      const ids = await queue(3)
      for (const id of ids) await reaches(id, 'retrying')
      deleteWorkflow()
      for (const id of ids) await reaches(id, 'cancelled')
      expect([calls, time.clock()]).toEqual([[], start])
    })

    test('is cancelled while it waits, also before this process knows of the deletion', async () => {
      define([{ key: 'wait', type: 'wait', seconds: 3600 }, action('after')])
      startRunner()
      const [id] = await queue()
      await reaches(id, 'retrying')
      await opened.setLane('wf_a', 'cancelled')
      runner?.wake()
      await reaches(id, 'cancelled')
      expect([calls, time.clock()]).toEqual([[], start])
    })

    test('is cancelled while it computes', async () => {
      const list = Array(1000).fill(1)
      const each = { key: 'outer', type: 'each', items: '{{list}}', steps: [] as unknown[] }
      each.steps = [{ ...each, key: 'inner', steps: [action('call')] }]
      const check = { value: '{{text}}', operator: 'starts_with', operand: '{{text}}' }
      each.steps.unshift({ key: 'check', type: 'branch', cases: [{ when: check, steps: [] }] })
      define([each])
      answer = () => {
        deleteWorkflow()
        return ok(null)
      }
      startRunner()
      const [id] = await queue(1, { list, text: 'x'.repeat(100_000) })
      await reaches(id, 'cancelled')
      expect(calls).toHaveLength(1)
    })
  })

  test('is cancelled where its workflow was deleted', async () => {
    await opened.setLane('wf_a', 1)
    startRunner()
    const [id] = await queue()
    await reaches(id, 'cancelled')
  })

  test('fails where a step throws what nobody expects', async () => {
    define([action('call')])
    answer = () => Promise.reject(new ServiceError('internal_error'))
    startRunner()
    const [id] = await queue()
    await reaches(id, 'failed')
    expect(errors.splice(0)).toHaveLength(1)
  })
})

describe('the runner', () => {
  test('keeps to the concurrency of a workflow', async () => {
    define([action('call')], { concurrency: 3 })
    let active = 0
    let most = 0
    answer = async () => {
      most = Math.max(most, ++active)
      await new Promise(setImmediate)
      active--
      return ok(null)
    }
    startRunner()
    const ids = await queue(20)
    await reaches(ids.at(-1), 'succeeded')
    await expect.poll(() => calls.length).toBe(20)
    expect(most).toBe(3)
  })

  test('gives a receiver that was down everything in the order of arrival', async () => {
    define([action('call', { n: '{{n}}' })], { ordered: true })
    let isDown = true
    answer = () => (isDown ? failure('connection_refused', true) : ok(null))
    startRunner()
    for (let n = 0; n < 5; n++) await queue(1, { n })
    const all = (await runs.list({ limit: 10 })).runs.map(({ runId }) => runId).toReversed()
    while (time.clock() < start + 600_000) {
      const first = await runs.get(all[0] ?? '')
      if (first?.state === 'retrying' && first.dueAt !== null)
        time.advance(Math.max(1, first.dueAt - time.clock()))
      await new Promise(setImmediate)
    }
    expect(new Set(calls.map(({ input }) => JSON.stringify(input)))).toEqual(new Set(['{"n":0}']))
    isDown = false
    calls = []
    await untilEnded(all[0])
    for (const id of all) await reaches(id, 'succeeded')
    expect(calls.map(({ input }) => JSON.stringify(input)).slice(-5)).toEqual(
      [0, 1, 2, 3, 4].map(n => `{"n":${n}}`),
    )
  })

  test('claims fewer runs at once for a second after events had to wait', async () => {
    const isAppending = vi.spyOn(runs, 'isAppending').mockReturnValue(true)
    const claim = vi.spyOn(runs, 'claim')
    onTestFinished(() => void vi.restoreAllMocks())
    const lastRoom = () => claim.mock.lastCall?.[0]
    startRunner()
    await expect.poll(time.next).toBe(1000)
    expect(lastRoom()).toBe(256)
    isAppending.mockReturnValue(false)
    time.advance(999)
    runner?.wake()
    await expect.poll(time.next).toBe(1000)
    expect(lastRoom()).toBe(64)
    time.advance(1000)
    await expect.poll(time.next).toBe(1000)
    expect(lastRoom()).toBe(256)
  })

  test('sleeps a second at most, and exactly until the next run is due', async () => {
    define([{ key: 'wait', type: 'wait', seconds: 1 }])
    startRunner()
    await expect.poll(() => time.next()).toBe(1000)
    time.advance(900)
    const [id] = await queue()
    await reaches(id, 'retrying')
    time.advance(700)
    await expect.poll(() => time.next()).toBe(300)
  })

  test('lets the step under way end when it stops, and begins no further one', async () => {
    define([action('first'), action('second')])
    const held = Promise.withResolvers<Attempted>()
    answer = () => held.promise
    startRunner()
    const [id] = await queue()
    await expect.poll(() => calls.length).toBe(1)
    const stopped = runner?.stop()
    held.resolve(ok(1))
    await stopped
    expect(calls).toHaveLength(1)
    await crash()
    startRunner()
    await reaches(id, 'succeeded')
    expect(calls.map(({ path }) => path)).toEqual(['first', 'second'])
  })

  test('claims nothing once it drains, and goes on with what it has claimed', async () => {
    define([action('first'), action('second')])
    const held = Promise.withResolvers<Attempted>()
    answer = () => held.promise
    startRunner()
    const [claimed] = await queue()
    await expect.poll(() => calls.length).toBe(1)
    // A claim under way at the drain may still claim a run that is queued after it. The runner sleeps once it has ended.
    await expect.poll(() => time.next()).toBe(1000)
    runner?.drain()
    const [left] = await queue()
    held.resolve(ok(1))
    await reaches(claimed, 'succeeded')
    time.advance(1000)
    await runner?.stop()
    expect(await stateOf(left)).toBe('waiting')
    expect(calls).toHaveLength(2)
  })

  test('interrupts a step that does not end while it stops', async () => {
    define([action('first')])
    answer = (_, { signal }) =>
      new Promise(resolve => signal.addEventListener('abort', () => resolve(ok('late'))))
    startRunner()
    await queue()
    await expect.poll(() => calls.length).toBe(1)
    const stopped = runner?.stop()
    time.advance(5000)
    await stopped
  })

  test('tells of the runs that a claim has ended', async () => {
    const run: Run = {
      ...{ runId: 'run_1', workflowId: 'wf_a', workspaceId: 'default', connectionId: 'conn_1', lane: 'wf_a' },
      ...{ queuedAt: 1, summary: '{}', eventId: null, state: 'running', dueAt: null, claimNumber: 1 },
      ...{ startedAt: 1, endedAt: null, error: null },
    }
    const claimed: Claimed = { runs: [], nextDueAt: null, ended: [run] }
    vi.spyOn(runs, 'claim').mockResolvedValueOnce(claimed)
    onTestFinished(() => void vi.restoreAllMocks())
    startRunner()
    await expect.poll(() => ended).toEqual([{ run, state: 'succeeded' }])
  })
})

/** Opens the log again as a new process would, without stopping the runner. */
async function crash(): Promise<void> {
  const before = runner
  runner = null
  void before?.stop()
  runs = (await opened.reopen()).runs
  for (const { workflowId, concurrency, ordered } of workflows.values())
    await opened.setLane(workflowId, ordered ? 'ordered' : concurrency)
}
