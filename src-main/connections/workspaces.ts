import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import { type Config, type WorkspaceRecord, withAgents, withClientTokens } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { type NewWorkspace, Workspace, type WorkspaceChange } from '#shared/model/workspace.ts'
import { newId, type RandomBytes } from './identifiers.ts'

/** @throws ServiceError `workspace_not_found`. */
export function findWorkspace(config: Config, workspaceId: string): WorkspaceRecord {
  const workspace = config.workspaces.get(workspaceId)
  if (workspace === undefined) throw new ServiceError('workspace_not_found')
  return workspace
}

/** @param now ISO 8601. */
export function createWorkspace(
  config: Config,
  input: NewWorkspace,
  now: string,
  random: RandomBytes,
): ConfigChange<Workspace> {
  const workspace: WorkspaceRecord = {
    workspaceId: newId('ws', random),
    name: input.name,
    publicBaseUrl: input.publicBaseUrl ?? null,
    webhook: input.webhook ?? null,
    removedWebhooks: 0,
    createdAt: now,
    updatedAt: now,
  }
  return { next: withWorkspace(config, workspace), result: workspace }
}

export function changeWorkspace(
  config: Config,
  workspaceId: string,
  change: WorkspaceChange,
  now: string,
): ConfigChange<Workspace> {
  const before = findWorkspace(config, workspaceId)
  const changed = Workspace.parse(nextVersion(before, definedFields(change), now))
  const isWebhookRemoved = before.webhook !== null && changed.webhook === null
  const removedWebhooks = before.removedWebhooks + (isWebhookRemoved ? 1 : 0)
  const workspace = { ...changed, removedWebhooks }
  return { next: withWorkspace(config, workspace), result: workspace }
}

/** @throws ServiceError `default_workspace`, `workspace_not_empty`, `workspace_not_found`. */
export function removeWorkspace(config: Config, workspaceId: string): ConfigChange<void> {
  findWorkspace(config, workspaceId)
  if (workspaceId === defaultWorkspaceId) throw new ServiceError('default_workspace')
  for (const connection of config.connections.values())
    if (connection.workspaceId === workspaceId) throw new ServiceError('workspace_not_empty')
  for (const workflow of config.workflows.values())
    if (workflow.workspaceId === workspaceId) throw new ServiceError('workspace_not_empty')
  const workspaces = new Map(config.workspaces)
  workspaces.delete(workspaceId)
  const withoutTokens = withClientTokens(config, token => token.workspaceId !== workspaceId)
  const next = withAgents(withoutTokens, agent => agent.workspaceId !== workspaceId)
  return { next: { ...next, workspaces }, result: undefined }
}

function withWorkspace(config: Config, workspace: WorkspaceRecord): Config {
  return { ...config, workspaces: new Map(config.workspaces).set(workspace.workspaceId, workspace) }
}
