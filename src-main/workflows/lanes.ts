import type { Config } from '#main/storage/config.ts'
import type { ConfigDiff } from '#main/storage/config-diff.ts'
import type { LaneLimit, LaneLimits } from '#main/storage/runs.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { dependsOnHeld, isTestLane } from './matching.ts'
import { anyWorkflow } from './webhook.ts'

/** Returns the limits of the lanes of workflows and webhooks; see `StorageOptions.lanesOf`. */
export function lanesOf(
  config: Config,
  diff: Pick<ConfigDiff, 'workflows' | 'workspaces' | 'held'> | null,
  withRuns: readonly string[] = [],
): LaneLimits {
  const lanes = new Set(withRuns.filter(lane => !isTestLane(lane)))
  for (const { id } of diff?.workflows ?? []) lanes.add(id)
  const workspaceIds = diff === null ? config.workspaces.keys() : diff.workspaces.map(({ id }) => id)
  for (const workspaceId of workspaceIds) lanes.add(webhookWorkflowId(workspaceId))
  // Any workflow may depend on a connection that is held or no longer held.
  if (diff === null || diff.held.length > 0) for (const id of config.workflows.keys()) lanes.add(id)
  return Array.from(lanes, lane => [lane, limitOf(config, lane)])
}

function limitOf(config: Config, lane: string): LaneLimit {
  const workflow = anyWorkflow(config, lane)
  if (workflow === undefined) return 'cancelled'
  const isHeld = config.workflows.has(lane) && dependsOnHeld(workflow, config)
  if (!workflow.enabled || isHeld) return 0
  return workflow.ordered ? 'ordered' : workflow.concurrency
}
