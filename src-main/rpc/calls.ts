import { ServiceError } from '#shared/errors.ts'
import type { Handlers, RpcParts } from './context.ts'
import { verbatim, verbatimFields, withVerbatimArguments } from './verbatim.ts'

export function calls({ store, callHistory }: RpcParts): Handlers['calls'] {
  return {
    get: async ({ input }) => {
      const call = await callHistory.get(input.callId)
      if (call === null) throw new ServiceError('call_not_found')
      const { connectionId, result, mapped } = call
      if (connectionId !== null && !store.snapshot().connections.has(connectionId))
        throw new ServiceError('call_not_found')
      return {
        ...withVerbatimArguments(call),
        result: verbatim(result),
        mapped: mapped && verbatimFields(mapped),
      }
    },
  }
}
