import { findConnection } from '#main/connections/connections.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function attempts(os: Base, { store, attempts: history }: RpcParts) {
  return os.attempts.router({
    list: os.attempts.list.handler(async ({ input }) => ({
      attempts: await history.list(findConnection(store.snapshot(), input.connectionId).connectionId),
    })),
    unknownToken: os.attempts.unknownToken.handler(async () => ({ attempts: await history.list(null) })),
  })
}
