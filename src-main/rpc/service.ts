import { deletedOne, type Handlers, type RpcParts } from './context.ts'

export function service(parts: RpcParts): Handlers['service'] {
  const { about, version, publicUrl, listenerStatus, moveListener, nodes } = parts
  return {
    get: () => ({
      version,
      ...about(),
      publicUrl: publicUrl(),
      listener: listenerStatus(),
    }),
    moveListener: ({ input }) => moveListener(input),
    nodes: () => nodes.list(),
    forgetNode: ({ input }) => deletedOne(nodes.forget(input.nodeId)),
  }
}
