import { toolsOf } from '#main/assistant/tools.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function tools(os: Base, { store }: RpcParts) {
  return os.tools.router({
    list: os.tools.list.handler(({ input }) => toolsOf(store.snapshot(), input.workspaceId)),
  })
}
