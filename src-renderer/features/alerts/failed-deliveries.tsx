import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { dayMs } from '#shared/durations.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { api } from '../../client/client.ts'
import { alertsEveryMs } from '../../entities/alert/use-alerts.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { formatCount } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'

const most = 50

/** Says that the webhook was not told of alerts. */
export function FailedDeliveries() {
  const { workspace } = useWorkspace()
  const workflowId = webhookWorkflowId(workspace?.workspaceId ?? '')
  const failed = (eventName: string) =>
    api.runs.list.queryOptions({
      input: { workflowId, status: 'failed', eventName, limit: most },
      enabled: workspace?.webhook?.alerts === true,
      refetchInterval: alertsEveryMs,
    })
  const opened = useQuery(failed('alert.opened'))
  const closed = useQuery(failed('alert.closed'))
  const runs = [...(opened.data?.runs ?? []), ...(closed.data?.runs ?? [])].filter(
    ({ queuedAt }) => Date.now() - Date.parse(queuedAt) < dayMs,
  )
  if (runs.length === 0) return null
  return (
    <Note tone="warn">
      {formatCount(runs.length, 'message')} of alerts did not reach the webhook in the last 24 hours.{' '}
      <Link to="/workflows/runs" search={{ workflow: workflowId, status: 'failed' }}>
        Show failed deliveries
      </Link>
    </Note>
  )
}
