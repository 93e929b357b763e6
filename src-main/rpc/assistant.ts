import {
  changeClientToken,
  createClientToken,
  findToken,
  removeClientToken,
  shownToken,
} from '#main/assistant/client-tokens.ts'
import { scopedConnections, scopedTool } from '#main/assistant/mcp/scope.ts'
import { shownTool } from '#main/assistant/on-demand.ts'
import { toolOf } from '#main/assistant/tools.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import type { ClientTokenRecord } from '#main/storage/config.ts'
import { type AssistantCall, ClientToken } from '#shared/model/assistant.ts'
import { deletedOne, type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'
import { withVerbatimArguments } from './verbatim.ts'

export function assistant(parts: RpcParts): Handlers['assistant'] {
  const { store, random } = parts
  const { address, clients, calls, costs, search, approvals, lastUses } = parts.assistant
  const requireWorkspace = (workspaceId: string | undefined) => {
    if (workspaceId !== undefined) findWorkspace(store.snapshot(), workspaceId)
  }

  return {
    address,
    clients: ({ input: { workspaceId } }) => {
      requireWorkspace(workspaceId)
      const { connections, clientTokens } = store.snapshot()
      const workspaceOf = (connectionId: string | null) =>
        connectionId === null ? undefined : connections.get(connectionId)?.workspaceId
      return (
        clients
          .list()
          // One with a revoked token is no longer connected.
          .filter(({ tokenId }) => tokenId === null || clientTokens.has(tokenId))
          .filter(
            client =>
              workspaceId === undefined ||
              (client.workspaceId ?? workspaceOf(client.connectionId)) === workspaceId,
          )
      )
    },
    calls: async ({ input }) => {
      requireWorkspace(input.workspaceId)
      const page = await calls.list(input)
      // What a client called is in its record. A conversation calls tools by their combined names.
      const nameOf = ({ connectionId, actionId }: AssistantCall) =>
        toolOf(store.snapshot(), connectionId ?? '', actionId ?? '')?.tool.name
      const named = page.calls.map(call => ({
        ...call,
        ...(call.source === 'conversation' && { name: nameOf(call) ?? call.name }),
      }))
      return { ...page, calls: named.map(withVerbatimArguments) }
    },
    tools: ({ input: { workspaceId, connectionId, ...page } }) =>
      costs.of(store.snapshot(), { workspaceId, connectionId }, page),
    tokens: async () => {
      const uses = await lastUses()
      return Array.from(store.snapshot().clientTokens.values(), token => shownToken(token, uses))
    },
    createToken: ({ input }) =>
      store.update(config => createClientToken(config, input, nowOf(parts), random)),
    updateToken: async ({ input: { tokenId, ifUpdatedAt, ...change } }) => {
      const uses = await lastUses()
      const show = (token: ClientTokenRecord) => shownToken(token, uses)
      return show(
        await store.update(config => {
          requireVersion(findToken(config, tokenId), ifUpdatedAt, ClientToken, show)
          return changeClientToken(config, tokenId, change, nowOf(parts))
        }),
      )
    },
    findTools: async ({ input: { tokenId, query, limit } }) => {
      const config = store.snapshot()
      findToken(config, tokenId)
      const scope = { workspaceId: null, connectionId: null, tokenId }
      const { found, total } = await search.find(scopedConnections(config, scope), query, limit)
      return {
        total,
        found: found.flatMap(one => {
          const tool = scopedTool(config, scope, one)
          if (tool === undefined) return []
          const { connectionId, actionId, method } = tool.tool
          return {
            ...{ ...shownTool(one, tool.name), connectionId, connectionName: tool.connection.name },
            ...{ actionId, method, permission: tool.permission },
          }
        }),
      }
    },
    removeToken: ({ input }) => deletedOne(store.update(config => removeClientToken(config, input.tokenId))),
    approvals: async () => (await approvals.list()).map(withVerbatimArguments),
    decide: async ({ input: { approvalId, decision } }) =>
      withVerbatimArguments(await approvals.decide(approvalId, decision)),
  }
}
