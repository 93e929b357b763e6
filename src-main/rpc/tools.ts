import { toolsOf } from '#main/assistant/tools.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import type { Handlers, RpcParts } from './context.ts'

export function tools({ store }: RpcParts): Handlers['tools'] {
  return {
    list: ({ input }) => toolsOf(store.snapshot(), input.workspaceId),
    suggestName: ({ input }) => ({
      toolName: deriveToolName(input.name, sha256Hex),
    }),
  }
}
