import { findConnection } from '#main/connections/connections.ts'
import { exportConnection } from '#main/importing/export.ts'

import type { Handlers, RpcParts } from './context.ts'

export function imports({ store, importer }: RpcParts): Handlers['imports'] {
  const { again } = importer
  return {
    fetch: ({ input, signal }) => importer.fetch(input, signal),
    preview: ({ input, signal }) => importer.preview(input, signal),
    apply: ({ input, signal }) => importer.apply(input, signal),
    source: ({ input }) => again.source(input.connectionId),
    compare: ({ input, signal }) => again.compare(input, signal),
    update: ({ input, signal }) => again.update(input, signal),
    undo: async ({ input }) => {
      await again.undo(input.connectionId)
      return {}
    },
    export: ({ input }) => exportConnection(findConnection(store.snapshot(), input.connectionId)),
  }
}
