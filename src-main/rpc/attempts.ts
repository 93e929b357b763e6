import { findConnection } from '#main/connections/connections.ts'
import type { Handlers, RpcParts } from './context.ts'

export function attempts({ store, attempts: history }: RpcParts): Handlers['attempts'] {
  return {
    list: async ({ input }) => ({
      attempts: await history.list(findConnection(store.snapshot(), input.connectionId).connectionId),
    }),
    unknownToken: async () => ({ attempts: await history.list(null) }),
  }
}
