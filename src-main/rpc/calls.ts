import { ServiceError } from '#shared/errors.ts'
import type { Handlers, RpcParts } from './context.ts'
import { verbatim, verbatimFields } from './verbatim.ts'

export function calls({ store, callHistory }: RpcParts): Handlers['calls'] {
  return {
    get: async ({ input }) => {
      const call = await callHistory.get(input.callId)
      if (call === null || !store.snapshot().connections.has(call.connectionId))
        throw new ServiceError('call_not_found')
      const { result, mapped } = call
      return {
        ...call,
        arguments: verbatimFields(call.arguments),
        result: verbatim(result),
        mapped: mapped && verbatimFields(mapped),
      }
    },
  }
}
