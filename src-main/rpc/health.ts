import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function health(os: Base, { log, version }: RpcParts) {
  return os.health.router({
    get: os.health.get.handler(async () => ({ ok: await log.isWritable(), version })),
  })
}
