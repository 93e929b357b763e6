import { expect, test } from 'vitest'
import { outcomeText, outputsOf, testRows } from '#renderer/features/workflows/builder/test-rows.ts'
import type { RunDetails, RunStep } from '#shared/model/run.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const notify = (key: string): Step => ({ key, type: 'notify', message: '' })
const steps: Step[] = [
  {
    key: 'check',
    type: 'branch',
    cases: [{ when: { value: '{{total}}', operator: 'greater', operand: 500 }, steps: [notify('large')] }],
    otherwise: [],
  },
  { key: 'lines', type: 'each', items: '{{lines}}', steps: [notify('line')] },
  { key: 'reserve', type: 'action', connectionId: 'conn_1', toolName: 'reserve', arguments: {} },
  notify('last'),
]

const at = (ms: number) => new Date(1000 + ms).toISOString()
function step(path: string, from: number, output: unknown, input: unknown = null): RunStep {
  const key = path.split('.').at(-1) ?? ''
  const isFailed = output === 'failed'
  const error = isFailed ? { code: 'http_409', message: 'Warehouse answered 409.' } : null
  return {
    key,
    path,
    type: 'notify',
    status: isFailed ? 'failed' : 'succeeded',
    output: isFailed ? null : output,
    attempts: [
      {
        attempt: 1,
        startedAt: at(from),
        endedAt: at(from + 4),
        input,
        output: isFailed ? null : output,
        shortened: false,
        absent: [],
        callId: null,
        error,
      },
    ],
  }
}

const run: RunDetails = {
  runId: 'run_1',
  workflowId: 'wf_1',
  eventId: null,
  eventName: 'order.paid',
  connectionId: null,
  subject: null,
  attempt: 1,
  test: true,
  dryRun: false,
  replayOf: null,
  emptyKey: false,
  fits: null,
  duplicates: 0,
  status: 'failed',
  queuedAt: at(0),
  startedAt: at(0),
  endedAt: at(40),
  nextAttemptAt: null,
  error: { code: 'http_409', message: 'Warehouse answered 409.' },
  payload: {},
  steps: [
    step('check', 0, { case: null }, [{ holds: false, value: 149, operator: 'greater', operand: 500 }]),
    step('lines', 4, { items: 2 }),
    step('lines.0.line', 8, { message: 'A' }),
    step('lines.1.line', 12, { message: 'B' }),
    step('reserve', 16, 'failed'),
  ],
}

test('a test run shows every step in order, also those that it did not take or reach', () => {
  const rows = testRows(steps, run)
  expect(
    rows.map(row => [row.id, row.item, row.startMs, row.ms, outcomeText(row, run, () => 'Warehouse')]),
  ).toEqual([
    ['check', '', 0, 4, 'Otherwise: 149 is not greater than 500'],
    ['large', '', null, null, 'Not taken'],
    ['lines', '', 4, 4, '2 items'],
    ['lines.0.line', '1', 8, 4, 'A'],
    ['lines.1.line', '2', 12, 4, 'B'],
    ['reserve', '', 16, 4, 'Warehouse answered 409.'],
    ['last', '', null, null, 'Not reached'],
  ])
})

test('the outputs of the steps that succeeded are known', () => {
  expect([...outputsOf(run).keys()]).toEqual(['check', 'lines', 'line'])
  expect(outputsOf(null).size).toBe(0)
})
