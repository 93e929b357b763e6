import { isDeepStrictEqual } from 'node:util'
import { checkedFields } from '#main/connections/checked-fields.ts'
import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { Config, WorkflowRecord } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import {
  constantKeyProblem,
  type NewWorkflow,
  type WorkflowChange,
  WorkflowFields,
  type WorkflowTrigger,
} from '#shared/model/workflow.ts'

/** @throws ServiceError `workflow_not_found`. */
export function findWorkflow(config: Config, workflowId: string): WorkflowRecord {
  const workflow = config.workflows.get(workflowId)
  if (workflow === undefined) throw new ServiceError('workflow_not_found')
  return workflow
}

/** @param workspaceId undefined for those of all workspaces. */
export function listWorkflows({ workflows }: Config, workspaceId: string | undefined): WorkflowRecord[] {
  return [...workflows.values()].filter(
    workflow => workspaceId === undefined || workflow.workspaceId === workspaceId,
  )
}

/** @param now ISO 8601. @throws ServiceError `invalid_input`, `workspace_not_found`. */
export function createWorkflow(
  config: Config,
  { workspaceId = defaultWorkspaceId, ...input }: NewWorkflow,
  now: string,
  random: RandomBytes,
): ConfigChange<WorkflowRecord> {
  findWorkspace(config, workspaceId)
  requireVariable(input.trigger)
  const workflowId = newId('wf', random)
  const facts = { workflowId, workspaceId, createdAt: now, updatedAt: now, stepsChangedAt: now }
  return withWorkflow(config, { ...facts, ...checkedFields(WorkflowFields, input) })
}

/** @throws ServiceError `workflow_not_found`, `invalid_input`. */
export function changeWorkflow(
  config: Config,
  workflowId: string,
  change: WorkflowChange,
  now: string,
): ConfigChange<WorkflowRecord> {
  const before = findWorkflow(config, workflowId)
  const { trigger } = change
  if (trigger !== undefined && trigger.once?.key !== before.trigger.once?.key) requireVariable(trigger)
  const fields = checkedFields(WorkflowFields, { ...before, ...definedFields(change) })
  const changed = nextVersion(before, fields, now)
  const isSame = isDeepStrictEqual(fields.steps, before.steps)
  return withWorkflow(config, isSame ? changed : { ...changed, stepsChangedAt: changed.updatedAt })
}

/** @throws ServiceError `invalid_input` for a key that is the same for each event. */
function requireVariable(trigger: WorkflowTrigger): void {
  const message = constantKeyProblem(trigger)
  if (message === null) return
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'trigger.once.key', message }] } })
}

/** @throws ServiceError `workflow_not_found`. */
export function removeWorkflow(config: Config, workflowId: string): ConfigChange<WorkflowRecord> {
  const result = findWorkflow(config, workflowId)
  const workflows = new Map(config.workflows)
  workflows.delete(workflowId)
  return { next: { ...config, workflows }, result }
}

function withWorkflow(config: Config, workflow: WorkflowRecord): ConfigChange<WorkflowRecord> {
  const workflows = new Map(config.workflows).set(workflow.workflowId, workflow)
  return { next: { ...config, workflows }, result: workflow }
}
