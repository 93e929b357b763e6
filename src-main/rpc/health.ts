import type { Handlers, RpcParts } from './context.ts'

export function health({ health }: RpcParts): Handlers['health'] {
  return { get: health }
}
