import { findConnection } from '#main/connections/connections.ts'
import { exportConnection } from '#main/importing/export.ts'
import { applyImport, previewImport } from '#main/importing/imports.ts'
import { readImport } from '#main/importing/read-import.ts'
import { ExactJson } from '#main/inbound/exact-json.ts'
import type { Config } from '#main/store/config.ts'
import type { ImportFormat } from '#shared/model/import-preview.ts'
import type { Base } from './base.ts'
import { nowOf, type RpcParts } from './context.ts'

type Request = {
  readonly text: string
  readonly format: ImportFormat
  readonly connectionId?: string | null | undefined
  readonly workspaceId?: string | null | undefined
}

/** The text read, and where it goes to; a connection that is not there is refused before the text is read. */
function read(config: Config, { text, format, connectionId = null, workspaceId = null }: Request) {
  const baseUrl = connectionId === null ? null : findConnection(config, connectionId).baseUrl
  return { parsed: readImport(text, format, baseUrl), target: { connectionId, workspaceId } }
}

export function imports(os: Base, parts: RpcParts) {
  const { store, random, environment } = parts
  return os.imports.router({
    preview: os.imports.preview.handler(({ input }) => {
      const config = store.snapshot()
      const { parsed, target } = read(config, input)
      return previewImport(config, parsed, target, environment.sourcesOf)
    }),
    apply: os.imports.apply.handler(({ input }) => {
      const { parsed, target } = read(store.snapshot(), input)
      return store.update(config => applyImport(config, parsed, target, nowOf(parts), random))
    }),
    export: os.imports.export.handler(({ input }) => {
      const document = exportConnection(findConnection(store.snapshot(), input.connectionId))
      // As text until the answer is written: what copies an object on the way loses a key such as `__proto__`.
      const events = document.events.map(({ samplePayload, ...event }) => ({
        ...event,
        samplePayload: samplePayload && new ExactJson(JSON.stringify(samplePayload)),
      }))
      return { ...document, events }
    }),
  })
}
