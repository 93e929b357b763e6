import type { Run, RunStatus } from '#shared/model/run.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { stopped } from '#shared/workflows/steps/stop.ts'
import { formatDuration } from '../../ui/format.ts'

/** The status of a run or of a step. `skipped` is not on the way that the run took; `ahead` is not reached yet. */
export type Status = RunStatus | 'skipped' | 'ahead'

export const statusLabels: Readonly<Record<Status, string>> = {
  queued: 'Queued',
  running: 'Running',
  waiting: 'Waiting',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
  skipped: 'Not taken',
  ahead: 'Not reached',
}

/** Returns whether a stop step failed the run. */
export const wasStopped = ({ status, error }: Run): boolean =>
  status === 'failed' && error?.code === stopped.code

export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled'

/** Returns whether the workflow's steps changed after a run `ended`, or while it is `underWay`; null if they did not. */
export function changeSince(
  run: Pick<Run, 'status' | 'startedAt' | 'endedAt'>,
  workflow: Pick<Workflow, 'stepsChangedAt'> | null,
): 'ended' | 'underWay' | null {
  const { startedAt, endedAt } = run
  const at = endedAt ?? startedAt
  if (at === null || workflow?.stepsChangedAt === undefined) return null
  if (Date.parse(workflow.stepsChangedAt) <= Date.parse(at)) return null
  return hasEnded(run) ? 'ended' : 'underWay'
}

/** Returns an error's code as lists show it: the status of a response, or the code. */
export function errorLabel(code: string): string {
  return code.startsWith('http_') ? code.slice('http_'.length) : code
}

/** Returns a run's status in words: “Failed: 422”, “Waiting”. */
export function runLabel({ status, error }: Pick<Run, 'status' | 'error'>): string {
  return status === 'failed' && error !== null ? `Failed: ${errorLabel(error.code)}` : statusLabels[status]
}

/** Returns what distinguishes a run from others of its event name: “ORD-20418”, “attempt 4”, “replay”. */
export function runDetails(run: Run): readonly string[] {
  return [
    ...(run.subject === null ? [] : [run.subject]),
    ...(run.attempt > 1 ? [`attempt ${run.attempt}`] : []),
    ...(run.replayOf === null ? [] : ['replay']),
    ...(run.dryRun ? ['dry run'] : run.test ? ['test'] : []),
  ]
}

/** Returns how long a run has taken, or how long it still waits; null for one that has not started. */
export function runTime(run: Run, now: number): string | null {
  const { status, nextAttemptAt, startedAt, queuedAt, endedAt } = run
  if (status === 'waiting' && nextAttemptAt !== null)
    return `${formatDuration(Math.max(0, Date.parse(nextAttemptAt) - now))} left`
  if (startedAt === null) return null
  const end = endedAt === null ? now : Date.parse(endedAt)
  return formatDuration(Math.max(0, end - Date.parse(queuedAt)))
}
