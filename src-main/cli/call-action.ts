import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import type { CallResult } from '#shared/model/call.ts'
import { findConnection } from './find-connection.ts'
import { connectToService } from './service-client.ts'

/**
 * Calls an action through the running service.
 *
 * @param connection its id or name. @param tool a tool name or an action's id.
 * @throws ServiceError `service_not_running`, `connection_not_found`, `ambiguous_connection`,
 *   `action_not_found`.
 */
export async function callAction(
  dataFolder: string,
  connection: string,
  tool: string,
  given: Record<string, unknown>,
): Promise<CallResult> {
  const service = await connectToService(dataFolder)
  try {
    const { connectionId, name } = findConnection(
      await service.call(contract.connections.list, {}),
      connection,
    )
    const actions = await service.call(contract.actions.list, { connectionId })
    const action =
      actions.find(({ toolName }) => toolName === tool) ?? actions.find(({ actionId }) => actionId === tool)
    if (action === undefined)
      throw new ServiceError('action_not_found', { detail: `${name} has no action named "${tool}".` })
    const { actionId } = action
    return await service.call(contract.actions.test, {
      connectionId,
      actionId,
      arguments: given,
      source: 'cli',
    })
  } finally {
    await service.close()
  }
}
