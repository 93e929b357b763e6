import { useMemo } from 'react'
import { useConnectionsById } from '../connection/use-connections.ts'
import { useWorkflowOverview, useWorkflows, type WorkflowRow } from './use-workflows.ts'
import { workflowStatus } from './workflow-status.ts'

/** Returns the workflows with their figures and status. */
export function useWorkflowRows() {
  const workflows = useWorkflows()
  const overview = useWorkflowOverview()
  const connectionOf = useConnectionsById(workflows.data?.map(({ trigger }) => trigger.connectionId) ?? [])
  const rows: readonly WorkflowRow[] = useMemo(() => {
    const figures = new Map(overview.data?.workflows.map(entry => [entry.workflowId, entry]))
    return (workflows.data ?? []).map(workflow => {
      const { connectionId } = workflow.trigger
      const own = figures.get(workflow.workflowId)
      return {
        ...workflow,
        figures: own,
        status: workflowStatus(workflow, own),
        connectionName: connectionId === null ? null : connectionOf?.(connectionId)?.name,
      }
    })
  }, [workflows.data, overview.data, connectionOf])
  return {
    rows,
    error: workflows.error,
    isPending: workflows.isPending || overview.isPending,
    refetch: () => void workflows.refetch(),
    overview,
  }
}
