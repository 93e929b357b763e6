import type { Handlers, RpcParts } from './context.ts'

export function service(parts: RpcParts): Handlers['service'] {
  const { about, version, publicUrl, listenerStatus, moveListener } = parts
  return {
    get: () => ({
      version,
      ...about(),
      publicUrl: publicUrl(),
      listener: listenerStatus(),
    }),
    moveListener: ({ input }) => moveListener(input),
  }
}
