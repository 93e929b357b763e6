const prefix = 'wf_webhook_'

/** Returns the id under which the deliveries to a workspace's webhook are listed: they are runs of a workflow. */
export const webhookWorkflowId = (workspaceId: string) => `${prefix}${workspaceId}`

/** Returns the workspace of such an id; null for the id of another workflow. */
export function workspaceOfWebhook(workflowId: string): string | null {
  return workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : null
}
