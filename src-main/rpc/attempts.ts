import { findConnection } from '#main/connections/connections.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function attempts(os: Base, { store, inbound }: RpcParts) {
  return os.attempts.router({
    list: os.attempts.list.handler(({ input }) => ({
      attempts: inbound.attemptsOf(findConnection(store.snapshot(), input.connectionId).connectionId),
    })),
    unknownToken: os.attempts.unknownToken.handler(() => ({ attempts: inbound.attemptsOf(null) })),
  })
}
