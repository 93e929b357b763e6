import type { Handlers, RpcParts } from './context.ts'

export function metrics({ metricsTokens }: RpcParts): Handlers['metrics'] {
  return {
    token: metricsTokens.shown,
    createToken: metricsTokens.create,
    removeToken: async () => ({ deleted: (await metricsTokens.remove()) ? 1 : 0 }),
  }
}
