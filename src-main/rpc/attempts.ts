import { findConnection } from '#main/connections/connections.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Handlers, RpcParts } from './context.ts'

export function attempts({ store, attempts: history }: RpcParts): Handlers['attempts'] {
  return {
    list: async ({ input }) => ({
      attempts: await history.list(findConnection(store.snapshot(), input.connectionId).connectionId),
    }),
    get: async ({ input: { connectionId, attemptId } }) => {
      findConnection(store.snapshot(), connectionId)
      const attempt = await history.get(connectionId, attemptId)
      if (attempt === null) throw new ServiceError('attempt_not_found')
      return attempt
    },
    unknownToken: async () => ({ attempts: await history.list(null) }),
  }
}
