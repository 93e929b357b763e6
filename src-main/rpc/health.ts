import type { Handlers, RpcParts } from './context.ts'

export function health({ log, version }: RpcParts): Handlers['health'] {
  return {
    get: async () => ({ ok: await log.isWritable(), version }),
  }
}
