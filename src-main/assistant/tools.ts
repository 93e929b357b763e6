import { listConnections } from '#main/connections/connections.ts'
import type { ActionRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { Tool } from '#shared/model/tool.ts'
import { inputSchemaOf } from './input-schema.ts'
import { combinedNames } from './tool-names.ts'

/**
 * What the assistant may call: a tool for each enabled action of each enabled connection that has a base URL
 * (specification: States and transitions; decisions: Assistant), in the order of creation.
 *
 * @param workspaceId the workspace whose connections count; undefined for all.
 * @throws ServiceError `workspace_not_found`.
 */
export function toolsOf(config: Config, workspaceId?: string): Tool[] {
  const names = combinedNames(config)
  return listConnections(config, workspaceId)
    .filter(({ enabled, baseUrl }) => enabled && baseUrl !== null)
    .flatMap(connection =>
      connection.actions
        .filter(({ isEnabled }) => isEnabled)
        .map(action => toTool(names.get(connection.connectionId)?.get(action.actionId), connection, action)),
    )
}

function toTool(name: string | undefined, { connectionId }: ConnectionRecord, action: ActionRecord): Tool {
  if (name === undefined) throw new Error(`${action.actionId} has no combined name.`)
  return {
    name,
    connectionId,
    actionId: action.actionId,
    toolName: action.toolName,
    description: action.description,
    inputSchema: inputSchemaOf(action.parameters),
    annotations: { readOnly: action.method === 'GET', destructive: action.method === 'DELETE' },
  }
}
