import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { z } from 'zod'
import type { CheckedWorkflow } from '#shared/model/workflow.ts'
import type { WorkflowFigures } from '#shared/model/workflow-figures.ts'
import { workspaceOfWebhook } from '#shared/platform/webhook-workflow.ts'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspace/current-workspace.tsx'
import { workflowStates } from './workflow-states.ts'
import type { WorkflowStatus } from './workflow-status.ts'

export type WorkflowRow = z.infer<typeof CheckedWorkflow> & {
  /** Undefined while they are not known. */
  readonly figures: WorkflowFigures | undefined
  readonly status: WorkflowStatus
  /** The name of the trigger's connection; null for any, undefined if it is not known or deleted. */
  readonly connectionName: string | null | undefined
}

/** Returns the workflows of the current workspace, in the order of creation. */
export function useWorkflows() {
  const { workspace } = useWorkspace()
  return useQuery(
    api.workflows.list.queryOptions({
      input: workspace === null ? skipToken : { workspaceId: workspace.workspaceId },
    }),
  )
}

/** Returns a function that names a workflow. */
export function useWorkflowName(): (workflowId: string) => string {
  const { data: workflows } = useWorkflows()
  return useMemo(() => {
    const names = new Map(workflows?.map(({ workflowId, name }) => [workflowId, name]))
    return workflowId =>
      (workspaceOfWebhook(workflowId) === null ? names.get(workflowId) : 'Webhook') ??
      (workflows === undefined ? '' : 'Deleted workflow')
  }, [workflows])
}

/** Events arrive without a message to the page. */
const readEveryMs = 10_000

/** Returns what the workflows did in the last 24 hours, and the events that none of them takes. */
export function useWorkflowOverview() {
  const { workspace } = useWorkspace()
  return useQuery(
    api.workflows.overview.queryOptions({
      input: workspace === null ? skipToken : { workspaceId: workspace.workspaceId },
      refetchInterval: readEveryMs,
    }),
  )
}

/** Returns how many workflows there are, and how many of them fail; undefined while that is not known. */
export function useWorkflowCounts() {
  const { data: workflows } = useWorkflows()
  const { data: overview } = useWorkflowOverview()
  const failing = useMemo(() => {
    if (workflows === undefined || overview === undefined) return
    const figures = new Map(overview.workflows.map(entry => [entry.workflowId, entry]))
    return workflows.filter(workflow =>
      workflowStates(workflow, figures.get(workflow.workflowId))?.includes('failing'),
    ).length
  }, [workflows, overview])
  return { total: workflows?.length, failing }
}
