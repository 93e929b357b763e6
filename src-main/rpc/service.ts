import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function service(os: Base, parts: RpcParts) {
  const { about, version, publicUrl, listenerStatus, moveListener } = parts
  return os.service.router({
    get: os.service.get.handler(() => ({
      version,
      ...about(),
      publicUrl: publicUrl(),
      listener: listenerStatus(),
    })),
    moveListener: os.service.moveListener.handler(({ input }) => moveListener(input)),
  })
}
