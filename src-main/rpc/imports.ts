import { findConnection } from '#main/connections/connections.ts'
import { exportConnection } from '#main/importing/export.ts'
import type { ImportRequest } from '#main/importing/importer.ts'
import type { ImportFormat, ImportSelection } from '#shared/model/import-preview.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

type Input = {
  readonly text: string
  readonly format: ImportFormat
  readonly connectionId?: string | null | undefined
  readonly workspaceId?: string | null | undefined
  readonly only?: ImportSelection | null | undefined
  readonly useBaseUrl: boolean
}

function requestOf(input: Input): ImportRequest {
  const { text, format, connectionId = null, workspaceId = null, only = null, useBaseUrl } = input
  return { text, format, connectionId, workspaceId, only, useBaseUrl }
}

export function imports(os: Base, { store, importer }: RpcParts) {
  return os.imports.router({
    preview: os.imports.preview.handler(({ input, signal }) => importer.preview(requestOf(input), signal)),
    apply: os.imports.apply.handler(({ input, signal }) => importer.apply(requestOf(input), signal)),
    export: os.imports.export.handler(({ input }) =>
      exportConnection(findConnection(store.snapshot(), input.connectionId)),
    ),
  })
}
