import type { Config, WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { FanOut, NewRun } from '#main/storage/runs.ts'
import { kindOf, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { type RunSummary, summaryText } from './run-view.ts'

/**
 * Returns whether a workflow's runs may come from a connection that was just deleted, or call it. They are paused while
 * the deletion can be undone: otherwise they would fail, or act for a connection that is gone.
 */
export function dependsOnHeld({ trigger, workspaceId, steps }: WorkflowRecord, { held }: Config): boolean {
  if (held === undefined) return false
  const { connectionId } = trigger
  if (connectionId !== null && held.has(connectionId)) return true
  if (connectionId === null && [...held.values()].some(({ record }) => record.workspaceId === workspaceId))
    return true
  return [...walkSteps(steps)].some(({ step }) =>
    kindOf(step)
      .uses(step)
      .some(({ connectionId }) => held.has(connectionId)),
  )
}

/** Returns the lane of a workflow's tests. */
export const testLaneOf = (workflowId: string) => `${testLanePrefix}${workflowId}`
const testLanePrefix = 'test/'
export const isTestLane = (lane: string) => lane.startsWith(testLanePrefix)

/** Returns the run that an event starts of a workflow. */
export function runOf({ workflowId, workspaceId }: WorkflowRecord, event: LoggedEvent): NewRun {
  const { connectionId, receivedAt, bodyText } = event
  // Fields instead of a spread, which is slower: this runs for every event.
  return {
    workflowId,
    workspaceId,
    connectionId,
    lane: workflowId,
    queuedAt: receivedAt,
    summary: summaryOfEvent(event),
    data: bodyText,
  }
}

/** Returns the runs that an event starts of many workflows. */
export function fanOutOf(workflowIds: readonly string[], workspaceId: string, event: LoggedEvent): FanOut {
  const { connectionId, receivedAt, bodyText } = event
  const summary = summaryOfEvent(event)
  return { workflowIds, workspaceId, connectionId, queuedAt: receivedAt, summary, data: bodyText }
}

function summaryOfEvent({ eventName, replayOf }: LoggedEvent): string {
  const summary: RunSummary = replayOf === null ? { eventName } : { eventName, replayOf }
  return summaryText(summary)
}
