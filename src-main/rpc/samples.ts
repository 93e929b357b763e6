import type { Handlers, RpcParts } from './context.ts'

export function samples({ loadSample }: RpcParts): Handlers['samples'] {
  return {
    load: ({ input }) => loadSample(input.workspaceId ?? null),
  }
}
