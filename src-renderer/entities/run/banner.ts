import { maxAttempts, type RunDetails } from '#shared/model/run.ts'
import { workspaceOfWebhook } from '#shared/platform/webhook-workflow.ts'
import { doesOf } from '#shared/workflows/steps/kinds.ts'
import { formatClock, formatCountdown, formatDuration } from '../../ui/format.ts'
import { hasEnded, type Status, wasStopped } from './run-labels.ts'
import type { StepRow } from './timeline.ts'

/** The state of a run in words, and what can be done. */
export type Banner = {
  readonly status: Status
  readonly title: string
  /** Null where the title says everything. */
  readonly detail: string | null
  /** The error's code; null without an error. */
  readonly code: string | null
  readonly canCancel: boolean
  /** The label of the button; null for a run that cannot be retried. */
  readonly retry: string | null
}

/**
 * Returns the state of a run.
 *
 * @param at the step at which it is, waits or has failed.
 * @param hasWorkflow whether its workflow exists; null until that is known.
 */
export function bannerOf(
  run: RunDetails,
  at: StepRow | null,
  hasWorkflow: boolean | null,
  now: number,
): Banner {
  const { status, error } = run
  const place = at?.number == null ? null : `step ${at.number}`
  const common = {
    status,
    code: status === 'failed' ? (error?.code ?? null) : null,
    canCancel: !hasEnded(run) && hasWorkflow !== false,
  }
  switch (status) {
    case 'queued':
      return { ...common, title: 'Queued', detail: `Since ${formatClock(run.queuedAt, now)}`, retry: null }
    case 'running': {
      const began = run.startedAt ?? run.queuedAt
      const title = `Running for ${formatDuration(Math.max(0, now - Date.parse(began)))}`
      return { ...common, title, detail: at === null ? null : `At ${at.title}`, retry: null }
    }
    case 'waiting':
      return waiting(run, common, at, place, now)
    case 'succeeded':
      return { ...common, title: `Succeeded in ${tookWords(run)}`, detail: null, retry: null }
    case 'failed':
      return {
        ...common,
        title: at === null ? 'Failed' : `Failed at ${at.title}`,
        detail: [error?.message, reasonAgainst(run, hasWorkflow)].filter(part => part != null).join(' '),
        retry:
          mayRetry(run, hasWorkflow) && !wasStopped(run) ? `Retry from ${place ?? 'the failed step'}` : null,
      }
    case 'cancelled':
      return {
        ...common,
        title: `Cancelled${run.endedAt === null ? '' : ` at ${formatClock(run.endedAt, now)}`}`,
        detail: reasonAgainst(run, hasWorkflow),
        retry: mayRetry(run, hasWorkflow) ? 'Continue run' : null,
      }
  }
}

function waiting(
  run: RunDetails,
  common: Pick<Banner, 'status' | 'code' | 'canCancel'>,
  at: StepRow | null,
  place: string | null,
  now: number,
): Banner {
  const { nextAttemptAt } = run
  const dueAt = nextAttemptAt === null ? now : Date.parse(nextAttemptAt)
  const leftMs = Math.max(0, dueAt - now)
  const inTime = leftMs === 0 ? 'due now' : `in ${formatCountdown(leftMs)}`
  const title = `Waiting until ${formatClock(dueAt, now)}`
  const isPause = at !== null && doesOf(at.type) === 'wait'
  if (isPause) return { ...common, title, detail: `At ${at.title}, ${inTime}`, retry: null }
  if (run.error?.code === 'rate_limited')
    return {
      ...common,
      title,
      detail: `The connection takes no calls, ${inTime}. No attempt is used`,
      retry: null,
    }
  const made = run.steps.at(-1)?.attempts.at(-1)?.attempt ?? 0
  // A run that was retried by hand may have more attempts than one turn has.
  const of = made < maxAttempts ? ` of ${maxAttempts}` : ''
  return {
    ...common,
    title,
    detail: `Attempt ${made + 1}${of}, ${inTime}`,
    retry: `Retry ${place ?? 'the step'} now`,
  }
}

function tookWords({ queuedAt, endedAt }: RunDetails): string {
  return formatDuration(endedAt === null ? 0 : Math.max(0, Date.parse(endedAt) - Date.parse(queuedAt)))
}

const mayRetry = ({ payload }: RunDetails, hasWorkflow: boolean | null): boolean =>
  payload !== null && hasWorkflow === true

/** Returns why a run that has ended is not offered to be retried; null for one that is. */
function reasonAgainst(run: RunDetails, hasWorkflow: boolean | null): string | null {
  if (hasWorkflow === false) {
    const what = workspaceOfWebhook(run.workflowId) === null ? 'workflow was deleted' : 'webhook was removed'
    return `Its ${what}, so it cannot go on.`
  }
  if (run.payload === null) return 'Its payload is no longer kept, so it cannot go on.'
  if (!wasStopped(run)) return null
  const instead = run.eventId === null ? 'Test the workflow again' : 'Replay the event'
  return `A retry would only repeat the stop step. ${instead} to run all steps.`
}
