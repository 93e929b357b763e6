import type { Config, WorkflowRecord, WorkspaceRecord } from '#main/storage/config.ts'
import type { NewRun, Run } from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Webhook } from '#shared/model/platform/webhook.ts'
import type { AlertEvent, WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import { triggerType } from '#shared/model/trigger.ts'
import type { Workspace } from '#shared/model/workspace.ts'
import { webhookWorkflowId, workspaceOfWebhook } from '#shared/platform/webhook-workflow.ts'
import { summaryOf, summaryText } from './run-view.ts'

/** Maximum number of concurrent deliveries to a webhook. */
export const webhookConcurrency = 10

/** Returns the webhook whose deliveries have this workflow id; null for the id of another workflow. */
export function webhookOf({ workspaces }: Config, workflowId: string): Webhook | null {
  const workspaceId = workspaceOfWebhook(workflowId)
  return workspaceId === null ? null : (workspaces.get(workspaceId)?.webhook ?? null)
}

/**
 * Returns a webhook as a workflow with one step, which posts the event. Deliveries are its runs, so they are stored,
 * retried and listed like all others.
 */
export function webhookWorkflow(workspace: Workspace): WorkflowRecord | null {
  const { workspaceId, webhook, createdAt, updatedAt } = workspace
  if (webhook === null) return null
  return {
    workflowId: webhookWorkflowId(workspaceId),
    workspaceId,
    name: 'Webhook',
    enabled: webhook.enabled,
    trigger: { type: triggerType, connectionId: null, eventName: null },
    steps: [{ key: 'deliver', type: 'http', method: 'POST', url: webhook.url, body: '{{body}}' }],
    ordered: false,
    concurrency: webhookConcurrency,
    createdAt,
    updatedAt,
  }
}

/** Returns whether a run delivers to a webhook that was removed. Its workspace may have another one now. */
export function isForRemovedWebhook(
  { workspaces }: Config,
  run: Pick<Run, 'workflowId' | 'summary'>,
): boolean {
  const workspace = workspaces.get(workspaceOfWebhook(run.workflowId) ?? '')
  if (workspace === undefined) return false
  const { mode, removedWebhooks = 0 } = summaryOf(run)
  return mode === undefined && removedWebhooks !== workspace.removedWebhooks
}

/** Returns a workflow by its id, also that of a webhook. */
export function anyWorkflow(config: Config, workflowId: string): WorkflowRecord | undefined {
  const workspace = config.workspaces.get(workspaceOfWebhook(workflowId) ?? '')
  return config.workflows.get(workflowId) ?? (workspace && webhookWorkflow(workspace)) ?? undefined
}

/** @throws ServiceError `webhook_not_set`. */
export function requireWebhookWorkflow(workspace: Workspace): WorkflowRecord {
  const workflow = webhookWorkflow(workspace)
  if (workflow === null) throw new ServiceError('webhook_not_set')
  return workflow
}

/** Returns the data of a delivery. Its variable `body` is what the step sends. */
export function deliveryData(event: WebhookEvent | AlertEvent): string {
  return JSON.stringify({ event: event.event, data: { body: event } })
}

/** Returns the run that delivers an event to the webhook of a workspace; null if none is sent. */
export function deliveryOf(
  { workspaceId, webhook, removedWebhooks }: WorkspaceRecord,
  event: WebhookEvent | AlertEvent,
  queuedAt: number,
): NewRun | null {
  if (webhook === null || !webhook.enabled) return null
  const workflowId = webhookWorkflowId(workspaceId)
  return {
    workflowId,
    workspaceId,
    connectionId: null,
    lane: workflowId,
    queuedAt,
    summary: summaryText({ eventName: event.event, removedWebhooks }),
    data: deliveryData(event),
  }
}
