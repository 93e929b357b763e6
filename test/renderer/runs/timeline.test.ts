import { describe, expect, test } from 'vitest'
import { currentStep, firstChosen, type TimelineRow, timelineOf } from '#renderer/entities/run/timeline.ts'
import { axisOf, shareOf } from '#renderer/features/runs/axis.ts'
import { Step } from '#shared/workflows/steps/kinds.ts'
import {
  action,
  actionsOf,
  at,
  attempt,
  details,
  error,
  notify,
  start,
  taken,
  waitingRun,
} from './fixtures.ts'

const branch = Step.parse({
  key: 'check_total',
  type: 'branch',
  cases: [{ when: { value: '{{total}}', operator: 'greater', operand: 500 }, steps: [notify('tell_sales')] }],
  otherwise: [action('reserve_stock')],
})
const steps = [branch, notify('tell_team')]
const decided = taken('check_total', {
  type: 'branch',
  output: { case: null },
  attempts: [attempt({ input: [{ holds: false, value: 214.5, operator: 'greater', operand: 500 }] })],
})
const failing = taken('reserve_stock', {
  type: 'action',
  status: 'failed',
  attempts: [1, 2].map(number =>
    attempt({
      attempt: number,
      startedAt: at(number * 1000),
      endedAt: at(number * 1000 + 200),
      error: error('http_503'),
      callId: `call_${number}`,
    }),
  ),
})

test('a run whose workflow has changed shows its own steps, with their loops', () => {
  const run = details({
    steps: [taken('all', { type: 'each', output: { items: 2 } }), taken('all.1.tell_team')],
  })
  expect(timelineOf(run, null, actionsOf)).toMatchObject([
    { title: 'All', type: 'each', number: null, step: null, detail: '2 items' },
    { title: 'Tell team, item 2', type: 'notify', number: null, step: null },
  ])
})

/** Returns rows in short: what they are, and where a step is numbered and why. */
const short = (rows: readonly TimelineRow[]) =>
  rows.map(row => {
    if (row.kind === 'step') return [row.number, row.title, row.status, row.detail]
    if (row.kind === 'attempt') return ['attempt', row.attempt.attempt]
    return row.kind === 'next' ? ['next', row.number] : ['item', row.title]
  })

describe('the rows of a run', () => {
  test('are the steps of the workflow with their attempts, those on another branch and those ahead', () => {
    const rows = timelineOf(waitingRun([decided, failing]), steps, actionsOf)
    expect(short(rows)).toEqual([
      ['1', 'Branch', 'succeeded', 'Otherwise: 214.5 is not greater than 500'],
      ['1.1', 'Notify', 'skipped', 'Not on this branch'],
      ['1.2', 'Reserve stock', 'waiting', null],
      ['attempt', 1],
      ['attempt', 2],
      ['next', 3],
      ['2', 'Notify', 'ahead', 'After Reserve stock'],
    ])
    expect(currentStep(rows)).toMatchObject({ number: '1.2' })
    expect(firstChosen(rows)).toBe('reserve_stock#2')
    const tries = rows.filter(row => row.kind === 'attempt')
    expect(tries.map(({ nextAt }) => nextAt)).toEqual([start + 2000, start + 505_000])
  })

  test('show the step under way, although no attempt of it is stored yet', () => {
    const running = { status: 'running', endedAt: null } as const
    expect(short(timelineOf(details({ ...running, steps: [decided] }), steps, actionsOf))).toEqual([
      expect.anything(),
      ['1.1', 'Notify', 'skipped', 'Not on this branch'],
      ['1.2', 'Reserve stock', 'running', null],
      ['2', 'Notify', 'ahead', 'After Reserve stock'],
    ])
    // A step that has failed is attempted again, unless it is passed over.
    const again = timelineOf(details({ ...running, steps: [decided, failing] }), steps, actionsOf)
    expect(currentStep(again)).toMatchObject({ title: 'Reserve stock', status: 'running' })
    const lenient = [{ ...action('reserve_stock'), onFailure: 'continue' as const }, notify('tell_team')]
    const passed = timelineOf(details({ ...running, steps: [failing] }), lenient, actionsOf)
    expect(currentStep(passed)).toMatchObject({ title: 'Notify', status: 'running' })
  })

  test('of a running run include the decisions that are not stored yet', () => {
    const running = details({ status: 'running', endedAt: null })
    expect(short(timelineOf(running, steps, actionsOf))).toEqual([
      ['1', 'Branch', 'succeeded', 'Otherwise: 214.5 is not greater than 500'],
      ['1.1', 'Notify', 'skipped', 'Not on this branch'],
      ['1.2', 'Reserve stock', 'running', null],
      ['2', 'Notify', 'ahead', 'After Reserve stock'],
    ])
    const loop = Step.parse({ key: 'lines', type: 'each', items: '{{lines}}', steps: [branch] })
    const inLoop = details({
      status: 'running',
      endedAt: null,
      payload: { lines: [1, 2], total: 600 },
      steps: [taken('lines', { type: 'each', output: { items: 2 } }), taken('lines.0.tell_sales')],
    })
    expect(currentStep(timelineOf(inLoop, [loop], actionsOf))).toMatchObject({ id: 'lines.1.tell_sales' })
    // Without its payload, the first step that is not stored is the best guess.
    const discarded = timelineOf({ ...running, payload: null }, steps, actionsOf)
    expect(currentStep(discarded)).toMatchObject({ title: 'Branch', status: 'running' })
  })

  test('have the titles of the builder, and of a step that is gone its key', () => {
    const gone = taken('check_total', { type: 'branch' })
    const titles = (given: typeof actionsOf | (() => null)) =>
      timelineOf(details({ steps: [gone] }), [action('reserve_stock'), notify('tell_team')], given).map(
        row => (row.kind === 'step' ? row.title : row.kind),
      )
    expect(titles(actionsOf)).toEqual(['Reserve stock', 'Notify', 'Check total'])
    expect(titles(() => null)).toEqual(['reserve_stock', 'Notify', 'Check total'])
  })

  test('of a failed run say what was not reached', () => {
    const rows = timelineOf(details({ status: 'failed', steps: [decided, failing] }), steps, actionsOf)
    expect(short(rows).at(-1)).toEqual(['2', 'Notify', 'ahead', 'Not reached'])
    expect(currentStep(rows)).toMatchObject({ title: 'Reserve stock', status: 'failed' })
  })

  test('repeat the steps of a loop for each item, as far as it has come', () => {
    const loop = Step.parse({ key: 'lines', type: 'each', items: '{{lines}}', steps: [notify('tell')] })
    const begun = taken('lines', { type: 'each', output: { items: 4 } })
    const run = waitingRun([begun, taken('lines.0.tell'), taken('lines.1.tell')])
    expect(short(timelineOf(run, [loop], actionsOf)).slice(1)).toEqual([
      ['item', 'Item 1 of 4'],
      ['1.1', 'Notify', 'succeeded', null],
      ['item', 'Item 2 of 4'],
      ['1.1', 'Notify', 'succeeded', null],
      ['item', 'Item 3 of 4'],
      ['1.1', 'Notify', 'ahead', 'After Notify'],
      ['item', '1 more item not reached'],
    ])
    const empty = details({ steps: [taken('lines', { type: 'each', output: { items: 0 } })] })
    expect(short(timelineOf(empty, [loop], actionsOf)).slice(1)).toEqual([
      ['1.1', 'Notify', 'skipped', 'The list has no items'],
    ])
  })

  test('of a workflow that was changed or deleted are what the run took', () => {
    const run = details({ steps: [taken('old_step'), taken('tell_team')] })
    expect(short(timelineOf(run, [notify('tell_team')], actionsOf))).toEqual([
      ['1', 'Notify', 'succeeded', null],
      [null, 'Old step', 'succeeded', null],
    ])
    expect(short(timelineOf(run, null, actionsOf))).toHaveLength(2)
  })

  test('find the branch that was taken where its outputs were deleted', () => {
    const run = details({
      steps: [taken('check_total', { type: 'branch' }), taken('reserve_stock', { type: 'action' })],
    })
    expect(short(timelineOf(run, steps, actionsOf)).slice(0, 3)).toEqual([
      ['1', 'Branch', 'succeeded', null],
      ['1.1', 'Notify', 'skipped', 'Not on this branch'],
      ['1.2', 'Reserve stock', 'succeeded', null],
    ])
  })
})

describe('the time axis', () => {
  test('reaches from the first attempt to the next one, with the present between them', () => {
    const axis = axisOf(waitingRun([failing]), start + 438_000)
    expect(axis).toEqual({ from: start + 3, to: start + 505_000, now: start + 438_000 })
    expect(shareOf(axis, start + 505_000)).toBe(1)
    expect(shareOf(axis, axis.now ?? 0)).toBeCloseTo(0.867, 3)
  })

  test('ends with the run, and has a length even if the run took none', () => {
    expect(axisOf(details(), start + 9000)).toEqual({ from: start + 3, to: start + 241, now: null })
    const instant = axisOf(details({ startedAt: at(0), endedAt: at(0) }), start)
    expect(instant.to).toBeGreaterThan(instant.from)
    // The next attempt is due, but has not begun.
    expect(axisOf(waitingRun([failing]), start + 600_000).to).toBe(start + 600_000)
  })
})
