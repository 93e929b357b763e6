import {
  changeClientToken,
  createClientToken,
  removeClientToken,
  shownToken,
} from '#main/assistant/client-tokens.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import type { Base } from './base.ts'
import { nowOf, type RpcParts } from './context.ts'
import { withVerbatimArguments } from './verbatim.ts'

export function assistant(os: Base, parts: RpcParts) {
  const { store, random } = parts
  const { address, clients, calls, costs, approvals } = parts.assistant
  const requireWorkspace = (workspaceId: string | undefined) => {
    if (workspaceId !== undefined) findWorkspace(store.snapshot(), workspaceId)
  }

  return os.assistant.router({
    address: os.assistant.address.handler(address),
    clients: os.assistant.clients.handler(({ input: { workspaceId } }) => {
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
    }),
    calls: os.assistant.calls.handler(async ({ input }) => {
      requireWorkspace(input.workspaceId)
      const page = await calls.list(input)
      return { ...page, calls: page.calls.map(withVerbatimArguments) }
    }),
    tools: os.assistant.tools.handler(({ input }) => costs.of(store.snapshot(), input.workspaceId)),
    tokens: os.assistant.tokens.handler(() =>
      Array.from(store.snapshot().clientTokens.values(), shownToken).map(parts.assistant.withLastUse),
    ),
    createToken: os.assistant.createToken.handler(({ input }) =>
      store.update(config => createClientToken(config, input, nowOf(parts), random)),
    ),
    updateToken: os.assistant.updateToken.handler(async ({ input: { tokenId, ...change } }) =>
      parts.assistant.withLastUse(await store.update(config => changeClientToken(config, tokenId, change))),
    ),
    removeToken: os.assistant.removeToken.handler(async ({ input }) => {
      await store.update(config => removeClientToken(config, input.tokenId))
      return { deleted: 1 }
    }),
    approvals: os.assistant.approvals.handler(() => approvals.list().map(withVerbatimArguments)),
    decide: os.assistant.decide.handler(({ input: { approvalId, decision } }) =>
      withVerbatimArguments(approvals.decide(approvalId, decision)),
    ),
  })
}
