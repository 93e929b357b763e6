import type { z } from 'zod'
import type { CheckedWorkflow } from '#shared/model/workflow.ts'
import type { WorkflowFigures } from '#shared/model/workflow-figures.ts'
import { kindOf, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'
import { errorsOf, type WorkflowState, workflowStates } from './workflow-states.ts'

export type WorkflowStatus = {
  readonly tone: Tone
  readonly label: string
  /** The filters that show it. Null while its runs are not known. */
  readonly states: readonly WorkflowState[] | null
}

type Shown = Pick<z.infer<typeof CheckedWorkflow>, 'enabled' | 'steps' | 'issues'>

/** Returns how a workflow is doing, in a word or two: what asks for something comes first. */
export function workflowStatus(workflow: Shown, figures: WorkflowFigures | undefined): WorkflowStatus {
  const { enabled } = workflow
  if (figures === undefined)
    return enabled
      ? { tone: 'mute', label: '–', states: null }
      : { tone: 'off', label: 'Disabled', states: null }
  const { failedLastHour, waiting, queued, hours, last24h, lastRun, running } = figures
  const errors = errorsOf(workflow)
  const states = workflowStates(workflow, figures)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  const is = (tone: Tone, label: string): WorkflowStatus => ({ tone, label, states })
  if (!enabled) return is('off', queued === 0 ? 'Disabled' : `Disabled · ${formatNumber(queued)} queued`)
  if (failedLastHour > 0) return is('bad', `${formatNumber(failedLastHour)} failed this hour`)
  if (errors > 0) return is('bad', formatCount(errors, 'problem'))
  if (lastRun?.status === 'failed') return is('bad', 'Last run failed')
  if (waiting > 0)
    return is('warn', `${formatNumber(waiting)} ${waits(workflow) ? 'waiting' : 'waiting to retry'}`)
  if (lastRun === null) return is('mute', 'No runs yet')
  if (failed > 0) return is('ok', `Succeeding · ${formatNumber(failed)} failed`)
  if (last24h > 0) return is('ok', 'All succeeded')
  return running > 0 ? is('ok', 'Running') : is('mute', 'No runs in 24 hours')
}

/** Returns whether runs may wait for a reason other than the next attempt. */
function waits({ steps }: Pick<Shown, 'steps'>): boolean {
  return [...walkSteps(steps)].some(({ step }) => kindOf(step).does === 'wait')
}
