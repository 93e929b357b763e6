import { listTools } from '#main/assistant/tools.ts'
import { findConnection } from '#main/connections/connections.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import type { Handlers, RpcParts } from './context.ts'

export function tools({ store, assistant }: RpcParts): Handlers['tools'] {
  return {
    list: ({ input: { workspaceId, connectionId, ...page } }) => {
      const config = store.snapshot()
      if (connectionId !== undefined) findConnection(config, connectionId)
      return listTools(config, { workspaceId, connectionId }, page).map(({ tool }) => tool)
    },
    lookAlikes: ({ input }) => {
      findConnection(store.snapshot(), input.connectionId)
      return assistant.costs.lookAlikesOf(input)
    },
    suggestName: ({ input }) => ({
      toolName: deriveToolName(input.name, sha256Hex),
    }),
  }
}
