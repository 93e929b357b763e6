import { toolsOf } from '#main/assistant/tools.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function tools(os: Base, { store }: RpcParts) {
  return os.tools.router({
    list: os.tools.list.handler(({ input }) => toolsOf(store.snapshot(), input.workspaceId)),
    suggestName: os.tools.suggestName.handler(({ input }) => ({
      toolName: deriveToolName(input.name, sha256Hex),
    })),
  })
}
