import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function samples(os: Base, { loadSample }: RpcParts) {
  return os.samples.router({
    load: os.samples.load.handler(({ input }) => loadSample(input.workspaceId ?? null)),
  })
}
