import { describe, expect, test } from 'vitest'
import { bannerOf } from '#renderer/entities/run/banner.ts'
import { runsStage } from '#renderer/entities/run/event-runs.ts'
import { changeSince, runDetails, runLabel, runTime } from '#renderer/entities/run/run-labels.ts'
import { currentStep, timelineOf } from '#renderer/entities/run/timeline.ts'
import { branchLabel } from '#renderer/entities/workflow/condition-labels.ts'
import { sinceOf } from '#renderer/features/runs/periods.ts'
import { traceOf } from '#renderer/features/runs/trace.ts'
import type { RunDetails } from '#shared/model/run.ts'
import { Step } from '#shared/workflows/steps/kinds.ts'
import {
  action,
  actionsOf,
  at,
  attempt,
  details,
  error,
  notify,
  run,
  start,
  taken,
  waitingRun,
} from './fixtures.ts'

const failing = taken('reserve_stock', {
  type: 'action',
  status: 'failed',
  attempts: [1, 2, 3, 4].map(number =>
    attempt({ attempt: number, callId: `call_${number}`, error: error('http_503') }),
  ),
})
const steps = [notify('first'), notify('second'), action('reserve_stock')]

test('the steps of a workflow changed after a run has ended, or while it is under way', () => {
  const workflow = (ms: number) => ({ stepsChangedAt: at(ms) })
  expect(changeSince(run(), workflow(242))).toBe('ended')
  expect(changeSince(run(), workflow(241))).toBeNull()
  expect(changeSince(run({ status: 'waiting', endedAt: null }), workflow(4))).toBe('underWay')
  expect(changeSince(run({ status: 'queued', startedAt: null, endedAt: null }), workflow(4))).toBeNull()
  // An earlier version did not store the time.
  expect(changeSince(run(), {})).toBeNull()
  expect(changeSince(run(), null)).toBeNull()
})

describe('a row of the list', () => {
  test('says how a run ended, with the status that failed it', () => {
    expect(runLabel(run())).toBe('Succeeded')
    expect(runLabel(run({ status: 'failed', error: error('http_422') }))).toBe('Failed: 422')
    expect(runLabel(run({ status: 'failed', error: error('timeout') }))).toBe('Failed: timeout')
    expect(runLabel(run({ status: 'waiting', error: error('http_503') }))).toBe('Waiting')
  })

  test('tells runs of one event name apart', () => {
    expect(runDetails(run({ attempt: 4 }))).toEqual(['ORD-20418', 'attempt 4'])
    expect(runDetails(run({ subject: null, replayOf: 'evt_b', test: true }))).toEqual(['replay', 'test'])
    expect(runDetails(run({ dryRun: true, test: true }))).toEqual(['ORD-20418', 'dry run'])
  })

  test('says how long a run took, has run or still waits', () => {
    expect(runTime(run(), start)).toBe('241 ms')
    expect(runTime(run({ status: 'running', endedAt: null }), start + 12_400)).toBe('12 s')
    const waiting = run({ status: 'waiting', endedAt: null, nextAttemptAt: at(100_000) })
    expect(runTime(waiting, start + 58_000)).toBe('42 s left')
    expect(runTime(run({ status: 'queued', startedAt: null, endedAt: null }), start)).toBeNull()
  })
})

describe('the banner', () => {
  const bannerAt = (one: RunDetails, now: number, workflow: readonly Step[] | null = steps) =>
    bannerOf(one, currentStep(timelineOf(one, workflow, actionsOf)), workflow !== null, start + now)

  test('of a waiting run says which attempt comes when, and offers it now', () => {
    expect(bannerAt(waitingRun([failing]), 438_000)).toMatchObject({
      title: expect.stringMatching(/^Waiting until \d/),
      detail: 'Attempt 5 of 8, in 1 min 7 s',
      code: null,
      canCancel: true,
      retry: 'Retry step 3 now',
    })
    expect(bannerAt(waitingRun([failing]), 600_000)).toMatchObject({ detail: 'Attempt 5 of 8, due now' })
    expect(bannerAt(waitingRun([failing], { error: error('rate_limited') }), 438_000)).toMatchObject({
      detail: 'The connection takes no calls, in 1 min 7 s. No attempt is used',
      retry: null,
    })
    const pause = Step.parse({ key: 'pause', type: 'wait', seconds: 600 })
    const pausing = waitingRun(
      [taken('pause', { type: 'wait', status: 'waiting', attempts: [attempt({ endedAt: null })] })],
      { error: null },
    )
    expect(bannerAt(pausing, 475_000, [pause])).toMatchObject({ detail: 'At Wait, in 30 s', retry: null })
  })

  test('of a failed run says where and why, and whether it can go on', () => {
    const failed = details({ status: 'failed', error: error('http_422'), steps: [failing] })
    expect(bannerAt(failed, 0)).toMatchObject({
      title: 'Failed at Reserve stock',
      detail: 'http_422.',
      code: 'http_422',
      retry: 'Retry from step 3',
      canCancel: false,
    })
    expect(bannerAt({ ...failed, payload: null }, 0)).toMatchObject({
      detail: 'http_422. Its payload is no longer kept, so it cannot go on.',
      retry: null,
    })
    expect(bannerAt(failed, 0, null)).toMatchObject({
      detail: 'http_422. Its workflow was deleted, so it cannot go on.',
      retry: null,
    })
  })

  test('of a run that a stop step failed offers its event instead of a retry', () => {
    const ended = details({ status: 'failed', error: { code: 'stopped', message: 'Not in stock.' } })
    expect(bannerAt(ended, 0)).toMatchObject({
      detail: 'Not in stock. A retry would only repeat the stop step. Replay the event to run all steps.',
      retry: null,
    })
    expect(bannerAt({ ...ended, eventId: null }, 0).detail).toContain('Test the workflow again')
    expect(bannerAt({ ...ended, payload: null }, 0).detail).toContain('Its payload is no longer kept')
  })

  test('of other runs says how long they took, and what can be done', () => {
    expect(bannerAt(details(), 0)).toMatchObject({ title: 'Succeeded in 241 ms', retry: null })
    const running = details({ status: 'running', endedAt: null, steps: [taken('first')] })
    expect(bannerAt(running, 12_003)).toMatchObject({
      title: 'Running for 12 s',
      detail: 'At Notify',
      canCancel: true,
      retry: null,
    })
    expect(bannerAt(details({ status: 'cancelled' }), 0)).toMatchObject({ retry: 'Continue run' })
    const queued = details({ status: 'queued', startedAt: null, endedAt: null })
    expect(bannerAt(queued, 0)).toMatchObject({ title: 'Queued', canCancel: true })
  })
})

describe('the trace', () => {
  const stages = (one: RunDetails, others?: Parameters<typeof traceOf>[1]) =>
    traceOf(one, others, start).map(({ title, detail, tone }) => [title, detail, tone])

  test('goes from the request over the run and its calls to other runs of the event', () => {
    const other = run({ runId: 'run_0000000000b' })
    const waiting = waitingRun([failing])
    expect(stages(waiting, [waiting, other])).toEqual([
      ['Request', expect.stringMatching(/:02.* · 200$/), 'ok'],
      ['Trigger', 'order.paid', 'ok'],
      ['This run', 'queued for 3 ms', 'warn'],
      ['4 calls', 'all failed', 'bad'],
      ['1 other run', 'succeeded', 'ok'],
    ])
    const more = [other, run({ runId: 'run_0000000000c', status: 'failed' })]
    expect(stages(waiting, more).at(-1)).toEqual(['2 other runs', '1 failed, 1 succeeded', 'bad'])
  })

  test('does not count other runs before they are known', () => {
    expect(stages(details())).toHaveLength(4)
    expect(stages(details(), []).at(-1)).toEqual(['No other runs', 'of this event', 'off'])
  })

  test('says so for a test, a replay, and a call that succeeded at last', () => {
    expect(stages(details({ eventId: null, test: true }))[0]?.[0]).toBe('Test')
    expect(stages(details({ replayOf: 'evt_b' }))[0]?.[0]).toBe('Replay')
    const late = { ...failing, attempts: [...failing.attempts, attempt({ attempt: 5, callId: 'call_5' })] }
    expect(stages(details({ steps: [late] }))[3]).toEqual(['5 calls', '4 of 5 failed', 'ok'])
    expect(stages(details())[3]).toEqual(['No calls', 'none', 'off'])
  })
})

test('a branch says which condition decided', () => {
  const above = { holds: true, value: 600, operator: 'greater', operand: 500 }
  const paid = { holds: false, value: '', operator: 'equals', operand: 'paid' }
  expect(branchLabel([above], 0, false)).toBe('Case 1: 600 is greater than 500')
  expect(branchLabel([paid, above], 1, false)).toBe('Case 2: 600 is greater than 500')
  expect(branchLabel([paid], null, false)).toBe('Otherwise: nothing is not paid')
  expect(
    branchLabel([{ holds: true, all: [above, { ...paid, holds: true, value: 'paid' }] }], 0, false),
  ).toBe('Case 1: 600 is greater than 500 and paid is paid')
  expect(branchLabel([{ holds: false, all: [above, paid] }], null, false)).toBe(
    'Otherwise: nothing is not paid',
  )
  expect(branchLabel([{ holds: false, any: [paid, paid] }], null, false)).toBe(
    'Otherwise: nothing is not paid and nothing is not paid',
  )
  expect(branchLabel([{ holds: false, value: null, operator: 'exists' }], null, false)).toBe(
    'Otherwise: the variable has no value',
  )
  expect(branchLabel([above], 0, true)).toBe('If: 600 is greater than 500')
  // The input is gone once it was deleted.
  expect(branchLabel(null, null, false)).toBe('Otherwise')
})

test('the runs of an event are summed up, the worst first', () => {
  expect(runsStage([])).toEqual({ name: 'No runs', detail: 'no workflow matched', tone: 'off' })
  expect(runsStage([run()])).toEqual({ name: '1 run', detail: 'succeeded', tone: 'ok' })
  expect(runsStage([run(), run({ status: 'running' })])).toEqual({
    name: '2 runs',
    detail: '1 running, 1 succeeded',
    tone: 'acc',
  })
})

test('a period begins at a full minute, and an address may have a time of its own', () => {
  expect(sinceOf('day', start)).toBe('2026-11-21T14:25:00.000Z')
  expect(sinceOf('all', start)).toBeUndefined()
  expect(sinceOf('2026-11-20T10:00:00.000Z', start)).toBe('2026-11-20T10:00:00.000Z')
  expect(sinceOf('2026-11-20T11:00:00+01:00', start)).toBe('2026-11-20T10:00:00.000Z')
  for (const text of ['nonsense', '2026-11-31T10:00:00Z', '1795290958'])
    expect(sinceOf(text, start)).toBeUndefined()
})
