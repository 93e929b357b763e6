import { numberOfAnyId } from '#main/lib/sequence.ts'
import { roundedUp } from '#main/storage/rows/durations.ts'
import {
  type EndedCounts,
  type EndedRun,
  type LaneCounts,
  type ListedRun,
  mostRunsOfFigures,
  type RunDetails,
  type RunQuery,
  type RunSelection,
  type RunStep,
  type StepFigures,
  type WorkflowFigures,
} from '#main/storage/runs.ts'
import { subjectOfBody } from '#shared/model/subject.ts'

const hour = 3_600_000
const minute = 60_000

/** How runs end: most by a decision alone. */
export type Outcome = 'decided' | 'refused' | 'unsealed' | 'done' | 'failed' | 'retried'

/** Returns the outcome of a workflow's run. @param n the number of its event. */
export function outcomeOf(workflowId: string, n: number): Outcome {
  if (n % 3 === 0) return 'decided'
  const roll = (Number(workflowId.slice(3)) * 7 + n * 13) % 20
  const others: readonly Outcome[] = ['refused', 'unsealed', 'done', 'failed', 'retried']
  return others[roll] ?? 'decided'
}

/** Returns whether the texts of a run are deleted when it ends. */
const discards = (workflowId: string, n: number) =>
  n % 4 === 0 || (n % 4 === 1 && Number(workflowId.slice(3)) % 5 === 0)

export function stepAt(at: number, changes: Partial<RunStep> = {}): RunStep {
  const texts = { input: '{"text":"\ud800 \\u0000"}', output: '12345678901234567890.10' }
  return {
    ...{ path: 'all.0.check', type: 'branch', attempt: 1, startedAt: at, endedAt: at, ...texts },
    ...{ error: null, callId: null, absent: ['customer.name'], ...changes },
  }
}

/** Ends a run that only decides, as the runner does; returns null for any other. */
export function decisionOf(workflowId: string, n: number, at: number): EndedRun | null {
  const outcome = outcomeOf(workflowId, n)
  const discard = discards(workflowId, n)
  const path = `all.${n % 2}.s${Number(workflowId.slice(3)) % 3}`
  if (outcome === 'decided' || outcome === 'unsealed') {
    const unseal = outcome === 'unsealed' && { unseal: true }
    const steps = n % 5 === 0 ? [] : [stepAt(at, { path })]
    return { state: 'succeeded', endedAt: at, error: null, discard, steps, ...unseal }
  }
  if (outcome !== 'refused') return null
  const error = '{"code":"stopped"}'
  return { state: 'failed', endedAt: at, error, discard, steps: [stepAt(at, { path, error })] }
}

/** A run as it is expected to be. */
export type ModelRun = {
  -readonly [Key in keyof Omit<RunDetails, 'subject' | 'duplicates'>]: RunDetails[Key]
} & {
  /** The number of its event. */
  readonly n: number
}

const withoutTexts = (step: RunStep) => ({ ...step, input: null, output: null })

/** Ends a run of the model. */
export function endIn(run: ModelRun, end: Omit<EndedRun, 'steps'>, steps: readonly RunStep[]): void {
  const all = [...run.steps, ...steps]
  Object.assign(run, { state: end.state, endedAt: end.endedAt, error: end.error, dueAt: null })
  Object.assign(run, { steps: end.discard ? all.map(withoutTexts) : all })
  if (end.discard) run.data = null
}

export function detailsOf({ n: _n, ...run }: ModelRun): RunDetails {
  return { ...run, subject: run.data === null ? null : subjectOfBody(run.data), duplicates: 0 }
}

export function listedOf(run: ModelRun): ListedRun {
  const { data: _data, steps: _steps, duplicates: _duplicates, ...listed } = detailsOf(run)
  return listed
}

const numberOf = ({ runId }: Pick<ModelRun, 'runId'>) => numberOfAnyId(runId) ?? 0
const isSince = (run: ModelRun, since: number | undefined) => numberOf(run) >= (since ?? 0) * 1024
const newestFirst = (one: ModelRun, two: ModelRun) => numberOf(two) - numberOf(one)

/** Returns the runs that match a query, newest first. */
export function listOf(runs: readonly ModelRun[], query: Partial<RunQuery>): ModelRun[] {
  const { workspaceId, workflowIds, connectionId, eventId, state, eventName, text, since, before } = query
  const has = (one: string) => one.toLowerCase().includes(text?.toLowerCase() ?? '')
  const nameOf = ({ summary }: ModelRun) => String(JSON.parse(summary).eventName)
  return runs
    .filter(
      run =>
        (workspaceId ?? run.workspaceId) === run.workspaceId &&
        (workflowIds ?? [run.workflowId]).includes(run.workflowId) &&
        (connectionId === undefined || connectionId === run.connectionId) &&
        (eventId ?? run.eventId) === run.eventId &&
        (state ?? run.state) === run.state &&
        (eventName === undefined || nameOf(run) === eventName) &&
        (text === undefined || has(run.data ?? '') || has(run.runId) || has(nameOf(run))) &&
        isSince(run, since) &&
        (before === undefined || run.runId < before),
    )
    .sort(newestFirst)
}

export function countsOf(runs: readonly ModelRun[], selection: RunSelection): EndedCounts {
  const selected = listOf(runs, selection)
  const of = (state: string) => selected.filter(run => run.state === state).length
  return { succeeded: of('succeeded'), failed: of('failed'), cancelled: of('cancelled') }
}

export function laneCountsOf(runs: readonly ModelRun[]): LaneCounts[] {
  const lanes = [...new Set(runs.map(({ lane }) => lane))].sort()
  return lanes
    .map(lane => {
      const of = (state: string) => runs.filter(run => run.lane === lane && run.state === state).length
      return { lane, waiting: of('waiting'), retrying: of('retrying'), running: of('running') }
    })
    .filter(({ waiting, retrying, running }) => waiting + retrying + running > 0)
}

export function figuresOf(runs: readonly ModelRun[], workflowId: string, now: number): WorkflowFigures {
  const own = runs.filter(run => run.workflowId === workflowId && run.lane === workflowId).sort(newestFirst)
  const firstHour = Math.floor(now / hour) - 23
  const isOf = (state: string) => (run: ModelRun) =>
    run.state === state && (run.endedAt ?? 0) >= firstHour * hour
  const inHour = (of: readonly ModelRun[], index: number) =>
    of.filter(({ endedAt }) => Math.min(Math.floor((endedAt ?? 0) / hour) - firstHour, 23) === index).length
  const [succeeded, failed] = [own.filter(isOf('succeeded')), own.filter(isOf('failed'))]
  const durations = succeeded
    .map(({ startedAt, endedAt }) => (endedAt ?? 0) - (startedAt ?? endedAt ?? 0))
    .sort((a, b) => a - b)
  const p95 = durations[Math.floor(0.95 * (durations.length - 1))]
  const firstMinute = Math.floor((now - hour) / minute) * minute
  const [last] = own
  return {
    workflowId,
    hours: Array.from({ length: 24 }, (_, index) => ({
      succeeded: inHour(succeeded, index),
      failed: inHour(failed, index),
    })),
    failedLastHour: failed.filter(({ endedAt }) => (endedAt ?? 0) >= firstMinute).length,
    p95Ms: p95 === undefined ? null : roundedUp(p95),
    lastRun: last ?? null,
  }
}

export function stepFiguresOf(runs: readonly ModelRun[], workflowId: string): StepFigures {
  const begun = runs
    .filter(run => run.workflowId === workflowId && run.state !== 'waiting')
    .sort(newestFirst)
    .slice(0, mostRunsOfFigures)
  const steps = new Map<string, { key: string; runs: number; failures: number }>()
  for (const run of begun) {
    const failed = new Map<string, boolean>()
    for (const { path, error } of run.steps) {
      const key = path.slice(path.lastIndexOf('.') + 1)
      failed.set(key, failed.get(key) === true || error !== null)
    }
    for (const [key, hasFailed] of failed) {
      const step = steps.get(key) ?? { key, runs: 0, failures: 0 }
      steps.set(key, step)
      step.runs++
      if (hasFailed) step.failures++
    }
  }
  return { runs: begun.length, steps: [...steps.values()].sort((a, b) => (a.key < b.key ? -1 : 1)) }
}

/** Returns queries about all runs and about one. */
export function queriesAbout(some: ModelRun | undefined): Partial<RunQuery>[] {
  const queuedAt = some?.queuedAt ?? 0
  return [
    {},
    ...(some === undefined
      ? []
      : [{ eventId: some.eventId ?? '' }, { before: some.runId }, { text: `ord-${some.n}x` }]),
    { eventId: some?.eventId ?? 'nonsense', workflowIds: ['wf_1', 'wf_2'] },
    { workflowIds: ['wf_1'] },
    { workflowIds: ['wf_5'] },
    { workflowIds: ['wf_30'], state: 'succeeded' },
    { workflowIds: ['wf_30', 'wf_31', 'wf_unknown'] },
    { workspaceId: 'ws_b' },
    { workspaceId: 'ws_a', state: 'waiting' },
    { connectionId: 'conn_b' },
    { connectionId: null, workflowIds: ['wf_3'] },
    { connectionId: null, state: 'succeeded' },
    { state: 'succeeded' },
    { state: 'failed' },
    { state: 'cancelled' },
    { state: 'retrying' },
    { state: 'running' },
    { eventName: 'order.1\ud800' },
    { since: queuedAt },
    { since: queuedAt + 1, workflowIds: ['wf_2'] },
    { since: queuedAt + 1 },
  ]
}
