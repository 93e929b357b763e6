import { findConnection } from '#main/connections/connections.ts'
import { exportConnection } from '#main/importing/export.ts'

import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function imports(os: Base, { store, importer }: RpcParts) {
  return os.imports.router({
    preview: os.imports.preview.handler(({ input, signal }) => importer.preview(input, signal)),
    apply: os.imports.apply.handler(({ input, signal }) => importer.apply(input, signal)),
    export: os.imports.export.handler(({ input }) =>
      exportConnection(findConnection(store.snapshot(), input.connectionId)),
    ),
  })
}
