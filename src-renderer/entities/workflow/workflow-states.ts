import type { z } from 'zod'
import type { CheckedWorkflow } from '#shared/model/workflow.ts'
import type { WorkflowFigures } from '#shared/model/workflow-figures.ts'

export type WorkflowState = 'failing' | 'waiting' | 'disabled'

type Checked = Pick<z.infer<typeof CheckedWorkflow>, 'enabled' | 'issues'>

/** Returns how many issues keep a workflow from running. */
export const errorsOf = ({ issues }: Pick<Checked, 'issues'>) =>
  issues.filter(({ severity }) => severity === 'error').length

/** Returns the filters that show a workflow; null while its runs are not known. */
export function workflowStates(
  workflow: Checked,
  figures: WorkflowFigures | undefined,
): readonly WorkflowState[] | null {
  if (figures === undefined) return null
  const { failedLastHour, lastRun, waiting } = figures
  const isFailing = failedLastHour > 0 || lastRun?.status === 'failed' || errorsOf(workflow) > 0
  return [
    ...(isFailing && workflow.enabled ? ['failing' as const] : []),
    ...(waiting > 0 ? ['waiting' as const] : []),
    ...(workflow.enabled ? [] : ['disabled' as const]),
  ]
}
