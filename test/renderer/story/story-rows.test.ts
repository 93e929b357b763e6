import { describe, expect, test } from 'vitest'
import {
  firstRuns,
  nextFailed,
  type RequestItem,
  type Story,
  type StoryRun,
  storyRows,
} from '#renderer/features/story/story-rows.ts'
import { storyText } from '#renderer/features/story/story-text.ts'
import { valueOrigins } from '#renderer/features/story/value-origins.ts'
import type { Run } from '#shared/model/run.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const at = '2026-11-21T14:25:02.118Z'

const accepted: RequestItem = {
  ...{ type: 'event.accepted', id: '1', at, connectionId: 'con_1', eventId: 'evt_00000001' },
  ...{ eventName: 'order.paid', declared: true, bytes: 120, tookMs: 6, repeat: false, stored: true },
  ...{ previousSecret: false, duplicateOf: null, subject: 'ORD-20414' },
}
const rejected: RequestItem = {
  ...{
    type: 'event.rejected',
    id: '2',
    at,
    connectionId: 'con_1',
    attemptId: null,
    code: 'invalid_signature',
  },
  ...{ message: 'The signature does not fit.', diagnosis: null, bytes: 3, tookMs: null },
}

const run = (runId: string, status: Run['status'], queuedAt = at): Run => ({
  ...{ runId, workflowId: 'wf_1', eventId: 'evt_00000001', eventName: 'order.paid', connectionId: 'con_1' },
  ...{ test: false, dryRun: false, replayOf: null, emptyKey: false, fits: null, status, queuedAt },
  ...{ startedAt: queuedAt, endedAt: status === 'waiting' ? null : queuedAt, nextAttemptAt: null },
  ...{ error: null, attempt: 1, subject: null },
})
const storyRun = (one: Run): StoryRun => ({ run: one, name: 'Review', details: null, rows: null })
const story = (parts: Partial<Story>): Story => ({
  ...{ item: accepted, event: null, sender: null, headers: null, runs: [], more: 0, isMoreOpen: false },
  ...parts,
})
const titles = (told: Story, isOpen: (id: string) => boolean = () => true) =>
  storyRows(told, isOpen).map(({ title }) => title)

describe('the rows of a story', () => {
  test('name only the checks that are known to have been made', () => {
    expect(titles(story({}))).toEqual([
      ...['Request', 'Token known', 'Connection enabled', 'Encoding and size', 'Body'],
    ])
    expect(titles(story({ sender: { scheme: 'custom-connection' } }))).toEqual(
      expect.arrayContaining(['Timestamp', 'Signature']),
    )
  })

  test('say how old the timestamp was', () => {
    const headers = [['x-service-timestamp', String(Date.parse(at) - 400)]] satisfies Story['headers']
    const told = story({ sender: { scheme: 'custom-connection' }, headers })
    const timestamp = (one: Story) => storyRows(one, () => true).find(row => row.title === 'Timestamp')
    expect(timestamp(told)?.detail).toBe('0.4 s old')
    expect(timestamp({ ...told, item: rejected })?.detail).toBe('0.4 s old')
    expect(timestamp({ ...told, headers: null })?.detail).toBeNull()
  })

  test('end at the check that refused a request', () => {
    const rows = storyRows(story({ item: rejected }), () => true)
    expect(rows[0]).toMatchObject({ title: 'Refused request', hasFailed: true, tookMs: null })
    expect(rows.find(row => row.kind === 'check' && row.hasFailed)?.title).toBe('Signature')
    expect(rows.at(-1)).toMatchObject({ status: 'skipped' })
  })

  test('are hidden in a closed one, and a run can be opened before its steps are read', () => {
    const told = story({ runs: [storyRun(run('run_1', 'waiting'))], more: 980, isMoreOpen: true })
    expect(titles(told, id => id !== 'request')).toEqual(['Request', 'Review', 'More than 980 more runs'])
    const [request, review] = storyRows(told, id => id !== 'request')
    expect([request?.isOpen, review?.isOpen]).toEqual([false, true])
  })

  test('are gone through by what failed, round and round', () => {
    const runs = ['run_1', 'run_2', 'run_3'].map((id, index) =>
      storyRun(run(id, index === 1 ? 'succeeded' : 'failed')),
    )
    const rows = storyRows(story({ item: null, runs }), () => true)
    expect(nextFailed(rows, -1)?.id).toBe('run_1')
    expect(nextFailed(rows, 0)?.id).toBe('run_3')
    expect(nextFailed(rows, 2)?.id).toBe('run_1')
  })

  test('are text, with what failed in words', () => {
    const rows = storyRows(story({ item: null, runs: [storyRun(run('run_1', 'failed'))] }), () => true)
    expect(storyText('order.paid', rows, ({ status }) => status, 0)).toMatch(
      /^order\.paid\nReview · failed · .*· 0 ms$/,
    )
  })
})

test('of many runs, those that failed and the newest are shown, in the order in which they began', () => {
  const second = (index: number) => new Date(Date.parse(at) + index * 1000).toISOString()
  const newest = Array.from({ length: 5 }, (_, index) =>
    run(`run_${9 - index}`, 'succeeded', second(9 - index)),
  )
  const failed = [run('run_0', 'failed', second(0))]
  expect(firstRuns(failed, newest, 3).map(({ runId }) => runId)).toEqual(['run_0', 'run_8', 'run_9'])
})

test('the values of a step come from the event, a step, a call, the environment or a loop', () => {
  const step: Step = {
    key: 'reserve',
    type: 'action',
    connectionId: 'con_1',
    toolName: 'reserve_stock',
    arguments: {
      sku: '{{lines.0.sku}}',
      note: 'For {{steps.find.name}} with {{$env.KEY}} and {{$calls.find.status}}',
      quantity: '{{item.quantity}}',
      fixed: 'nothing',
    },
  }
  expect(valueOrigins(step, true)).toEqual([
    { name: 'sku', template: '{{lines.0.sku}}', from: 'event' },
    {
      ...{ name: 'note', template: 'For {{steps.find.name}} with {{$env.KEY}} and {{$calls.find.status}}' },
      from: 'output of find, environment, call of find',
    },
    { name: 'quantity', template: '{{item.quantity}}', from: 'item of the loop' },
  ])
  expect(valueOrigins(step, false).at(-1)?.from).toBe('event')
})
