import { findConnection } from '#main/connections/connections.ts'
import { exportConnection } from '#main/importing/export.ts'

import type { Handlers, RpcParts } from './context.ts'

export function imports({ store, importer }: RpcParts): Handlers['imports'] {
  return {
    fetch: ({ input, signal }) => importer.fetch(input, signal),
    preview: ({ input, signal }) => importer.preview(input, signal),
    apply: ({ input, signal }) => importer.apply(input, signal),
    export: ({ input }) => exportConnection(findConnection(store.snapshot(), input.connectionId)),
  }
}
