import { casesOf } from '#main/connections/cases.ts'
import { findConnection } from '#main/connections/connections.ts'
import { exportConnection } from '#main/importing/export.ts'
import { secretMask } from '#main/outbound/masking.ts'
import type { CallContext, Handlers, RpcParts } from './context.ts'
import { JsonAnswer } from './json-answer.ts'

export function imports({ store, importer, environment }: RpcParts): Handlers['imports'] {
  const { reimport } = importer
  return {
    fetch: ({ input, signal }) => importer.fetch(input, signal),
    preview: async ({ input, signal, context }) => {
      throw new JsonAnswer(await importer.preview(withText(input, context), signal))
    },
    apply: ({ input, signal, context }) => importer.apply(withText(input, context), signal),
    source: ({ input }) => reimport.source(input.connectionId),
    compare: async ({ input, signal, context }) => {
      throw new JsonAnswer(await reimport.compare(withText(input, context), signal))
    },
    update: ({ input, signal, context }) => reimport.update(withText(input, context), signal),
    undo: async ({ input }) => {
      await reimport.undo(input.connectionId)
      return {}
    },
    export: ({ input: { connectionId } }) => {
      const config = store.snapshot()
      const mask = secretMask(environment.secrets())
      return exportConnection(findConnection(config, connectionId), casesOf(config, connectionId), mask)
    },
  }
}

/** Returns the input of an import with its text, if that was cut out. */
function withText<Input extends { readonly text?: string | null | undefined }>(
  input: Input,
  { importText }: CallContext,
) {
  return importText === undefined ? input : { ...input, text: importText }
}
