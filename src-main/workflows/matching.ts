import type { WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { NewRun } from '#main/storage/runs.ts'
import { type RunSummary, summaryText } from './run-view.ts'

/** Returns the lane of a workflow's tests. */
export const testLaneOf = (workflowId: string) => `test/${workflowId}`

/** Returns the run that an event starts of a workflow. */
export function runOf(workflow: WorkflowRecord, event: LoggedEvent): NewRun {
  const { workflowId, workspaceId } = workflow
  const { connectionId, eventName, receivedAt, replayOf, bodyText } = event
  const summary: RunSummary = replayOf === null ? { eventName } : { eventName, replayOf }
  return {
    workflowId,
    workspaceId,
    connectionId,
    lane: workflowId,
    queuedAt: receivedAt,
    summary: summaryText(summary),
    data: bodyText,
  }
}
