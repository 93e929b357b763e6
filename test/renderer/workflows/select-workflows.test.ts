import { describe, expect, test } from 'vitest'
import type { WorkflowRow } from '#renderer/entities/workflow/use-workflows.ts'
import { workflowStatus } from '#renderer/entities/workflow/workflow-status.ts'
import { stepsInWords, workflowList } from '#renderer/features/workflows/select-workflows.ts'
import { filterRows } from '#renderer/ui/list-search.ts'
import type { WorkflowFigures } from '#shared/model/workflow-figures.ts'
import type { WorkflowIssue } from '#shared/model/workflow-issue.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 9, minute)).toISOString()
const quiet = Array.from({ length: 24 }, () => ({ succeeded: 0, failed: 0 }))
const tell: Step = { key: 'tell_team', type: 'notify', message: 'Hello' }
const wait: Step = { key: 'pause', type: 'wait', seconds: 60 }

function figures(change: Partial<WorkflowFigures> = {}): WorkflowFigures {
  return {
    workflowId: 'wf_1',
    hours: quiet,
    last24h: 0,
    queued: 0,
    waiting: 0,
    running: 0,
    failedLastHour: 0,
    lastRun: null,
    p95Ms: null,
    ...change,
  }
}
const ran = (status: 'succeeded' | 'failed' | 'waiting', minute = 0) => ({
  runId: 'run_1',
  status,
  at: at(minute),
})

type Wanted = Partial<Pick<WorkflowRow, 'enabled' | 'steps' | 'issues' | 'createdAt' | 'connectionName'>> & {
  readonly eventName?: string | null
  readonly figures?: WorkflowFigures | undefined
}

function row(name: string, wanted: Wanted = {}): WorkflowRow {
  const { eventName = 'order.paid', enabled = true, steps = [tell], issues = [], createdAt = at(0) } = wanted
  const own = 'figures' in wanted ? wanted.figures : figures()
  return {
    workflowId: `wf_${name}`,
    workspaceId: 'default',
    name,
    enabled,
    trigger: { type: 'external.event', connectionId: 'conn_1', eventName },
    steps,
    ordered: false,
    concurrency: 10,
    createdAt,
    updatedAt: createdAt,
    issues,
    figures: own,
    status: workflowStatus({ enabled, steps, issues }, own),
    connectionName: wanted.connectionName ?? 'Acme Orders ERP',
  }
}

const issue: WorkflowIssue = {
  stepKey: 'reserve',
  path: 'steps.0.connectionId',
  code: 'unknown_connection',
  severity: 'error',
  message: 'The connection does not exist.',
  nearest: null,
}
const day = (failed: number) => [{ succeeded: 3, failed }, ...quiet.slice(1)]

const { orders } = workflowList
const { isIn } = workflowList.filters.status
const { textOf } = workflowList.filters.filter

describe('the status of a workflow', () => {
  test.each<[string, Wanted, string, readonly string[] | null]>([
    ['nothing is known of its runs', { figures: undefined }, 'mute –', null],
    ['it has never run', {}, 'mute No runs yet', []],
    [
      'runs failed within the hour',
      { figures: figures({ failedLastHour: 9, waiting: 2, lastRun: ran('succeeded') }) },
      'bad 9 failed this hour',
      ['failing', 'waiting'],
    ],
    ['it refers to what does not exist', { issues: [issue] }, 'bad 1 problem', ['failing']],
    ['it may be meant so', { issues: [{ ...issue, severity: 'warning' }] }, 'mute No runs yet', []],
    [
      'its last run failed long ago',
      { figures: figures({ hours: day(1), last24h: 4, lastRun: ran('failed') }) },
      'bad Last run failed',
      ['failing'],
    ],
    [
      'runs wait for their next attempt',
      { figures: figures({ waiting: 1, lastRun: ran('waiting') }) },
      'warn 1 waiting to retry',
      ['waiting'],
    ],
    [
      'runs may wait because a step says so',
      { steps: [tell, wait], figures: figures({ waiting: 1, lastRun: ran('waiting') }) },
      'warn 1 waiting',
      ['waiting'],
    ],
    [
      'it has succeeded since it failed',
      { figures: figures({ hours: day(2), last24h: 5, lastRun: ran('succeeded') }) },
      'ok Succeeding · 2 failed',
      [],
    ],
    [
      'all runs succeeded',
      { figures: figures({ hours: day(0), last24h: 3, lastRun: ran('succeeded') }) },
      'ok All succeeded',
      [],
    ],
    ['it ran days ago', { figures: figures({ lastRun: ran('succeeded') }) }, 'mute No runs in 24 hours', []],
    [
      'it is off, whatever its runs did',
      { enabled: false, figures: figures({ failedLastHour: 1, lastRun: ran('failed') }) },
      'off Disabled',
      ['disabled'],
    ],
    [
      'it is off and keeps runs',
      { enabled: false, figures: figures({ queued: 2 }) },
      'off Disabled · 2 queued',
      ['disabled'],
    ],
  ])('when %s', (_when, wanted, label, states) => {
    const { status } = row('One', wanted)
    expect([`${status.tone} ${status.label}`, status.states]).toEqual([label, states])
  })

  test('says whether a filter shows it, and nothing where its runs are not known', () => {
    expect(isIn(row('One', { enabled: false, figures: undefined }), 'disabled')).toBe(true)
    expect(isIn(row('One', { figures: undefined }), 'failing')).toBeNull()
    expect(isIn(row('One'), 'failing')).toBe(false)
  })
})

describe('the list of workflows', () => {
  const early = row('Beta 10', {
    createdAt: at(1),
    figures: figures({ last24h: 5, lastRun: ran('succeeded', 5) }),
  })
  const late = row('beta 9', {
    createdAt: at(2),
    eventName: null,
    connectionName: null,
    figures: figures({ last24h: 9, lastRun: ran('succeeded', 4) }),
  })
  const never = row('Alpha', {
    createdAt: at(3),
    steps: [
      {
        key: 'is_large',
        type: 'branch',
        cases: [
          {
            when: { value: '{{total}}', operator: 'greater', operand: 5 },
            steps: [
              {
                key: 'reserve',
                type: 'action',
                connectionId: 'conn_1',
                toolName: 'reserve_stock',
                arguments: {},
              },
            ],
          },
        ],
        otherwise: [tell],
      },
    ],
  })
  const names = (rows: readonly WorkflowRow[]) => rows.map(({ name }) => name)

  test.each<[keyof typeof orders, string[]]>([
    ['last-run', ['Beta 10', 'beta 9', 'Alpha']],
    ['name', ['Alpha', 'beta 9', 'Beta 10']],
    ['runs', ['beta 9', 'Beta 10', 'Alpha']],
    ['created', ['Alpha', 'beta 9', 'Beta 10']],
  ])('is sorted by %s', (sort, expected) => {
    expect(names([early, never, late].toSorted(orders[sort].compare))).toEqual(expected)
  })

  test.each([
    ['beta', ['Beta 10', 'beta 9']],
    ['ORDER.PAID acme', ['Beta 10', 'Alpha']],
    ['any event', ['beta 9']],
    ['reserve_stock', ['Alpha']],
    ['tell_team', ['Beta 10', 'beta 9', 'Alpha']],
    ['branch', ['Alpha']],
    ['nothing like it', []],
  ])('finds %s in names, events and steps', (filter, expected) => {
    expect(names(filterRows([early, late, never], filter, textOf))).toEqual(expected)
  })

  test('counts the steps inside others', () => {
    expect([early, never].map(stepsInWords)).toEqual(['1 step', '3 steps'])
  })
})
