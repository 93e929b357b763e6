import type { WorkspaceRecord } from '#main/storage/config.ts'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { isFanOut, type NewRun, type NewRuns } from '#main/storage/runs.ts'
import { dayMs } from '#shared/durations.ts'
import { serviceConnectionId } from '#shared/model/alert.ts'
import type { AlertEvent } from '#shared/model/platform/webhook-event.ts'
import { deliveryOf } from './webhook.ts'

/** An event of this service, which is not stored. */
export type ServiceEvent = {
  readonly eventName: string
  /** The name for the webhook. */
  readonly webhookEvent: AlertEvent['event']
  readonly data: Readonly<Record<string, unknown>>
  /** Each target gets one run with it. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** How long a key is kept: a node that hung for longer could repeat its runs. */
const keptMs = 90 * dayMs

/** Returns a run for each target of an event of this service; none without a workspace. */
export function announcementRuns(
  workspace: WorkspaceRecord | undefined,
  { eventName, webhookEvent, data, key, at }: ServiceEvent,
  runsFor: (event: LoggedEvent, workspaceId: string, data: ServiceEvent['data']) => NewRuns,
): NewRun[] {
  if (workspace === undefined) return []
  const event: LoggedEvent = {
    ...{ eventId: '', connectionId: serviceConnectionId, eventName, receivedAt: at },
    bodyText: JSON.stringify({ event: eventName, data }),
    ...{ headerLines: '', repeat: false, replayOf: null },
  }
  const ofWorkflows = runsFor(event, workspace.workspaceId, data).flatMap(run => {
    if (!isFanOut(run)) return run
    const { workflowIds, ...shared } = run
    return workflowIds.map(workflowId => ({ ...shared, workflowId, lane: workflowId }))
  })
  const wantsAlerts = workspace.webhook?.alerts === true
  const delivery = wantsAlerts ? deliveryOf(workspace, { event: webhookEvent, data }, at) : null
  return [...ofWorkflows, ...(delivery === null ? [] : [delivery])].map(run => ({
    ...run,
    deduplicationKey: deduplicationKey(run.workflowId, key, at, keptMs),
  }))
}
