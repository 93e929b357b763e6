import { z } from 'zod'
import { ImportAuth } from '../model/import-auth.ts'
import { ImportComparison, ImportSource, ImportUpdate, UpdateChoice } from '../model/import-comparison.ts'
import { ImportDocument } from '../model/import-document.ts'
import { ImportChoice } from '../model/import-operation.ts'
import { ImportPreview, ImportResult, ImportSelection, RequestedFormat } from '../model/import-preview.ts'
import { ServerTargets } from '../model/import-server.ts'
import { DocumentSource, FetchedDocument, SourceHeader, SourceUrl } from '../model/import-source.ts'
import { Constants } from '../model/placeholders.ts'
import { ifUpdatedAt, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('imports')
/** Errors for documents that cannot be fetched. */
const cannotBeFetched = [
  ...(['source_unreachable', 'source_timed_out', 'source_status', 'source_redirect'] as const),
  ...(['source_blocked', 'source_too_large', 'source_not_text', 'source_header'] as const),
] as const
/** Errors for texts that exceed the limits of the import worker. */
const cannotBeRead = ['import_too_complex', 'import_timed_out', 'imports_busy', ...cannotBeFetched] as const

export const ImportRequest = z.object({
  text: z
    .string()
    .nullish()
    .describe('The document as text, at most 16 MiB in UTF-8. By default it is fetched from `url`.'),
  url: SourceUrl.nullish().describe(
    'The address of the document. It is fetched for each request, unless `text` is given too. An import keeps it, so that the document can be imported again.',
  ),
  header: SourceHeader.nullish().describe('A header to fetch the document with.'),
  connectionId: z
    .string()
    .nullish()
    .describe('Import into this connection; by default the import creates a new one.'),
  workspaceId: z
    .string()
    .nullish()
    .describe('The workspace of a new connection; by default the default workspace.'),
  format: RequestedFormat.default('auto'),
  placeholders: Constants.default({}).describe(
    'A constant for placeholders of paths by their names: `{"projectId": "prj_42"}`. Each is percent-encoded as one segment.',
  ),
  choose: ImportChoice.nullish().describe('Take only these operations; by default all.'),
  only: ImportSelection.nullish().describe('Import only these entries; by default all.'),
  auth: ImportAuth.nullish().describe(
    'The security scheme of the document that the connection signs in with; null for none. By default, a new connection gets the first one that the document requires, and an existing one keeps its `auth`. If it has none, the new actions carry headers.',
  ),
  servers: ServerTargets.nullish().describe(
    'For the operations of each server in the preview, by its `url`: `true` for a new connection, the id of an existing one, or `false` to leave them out. By default all that operations need are taken; `connectionId` is for the base URL.',
  ),
  useBaseUrl: z
    .boolean()
    .default(false)
    .describe('Give an existing connection without a base URL the one in the document.'),
})
export type ImportRequest = Partial<z.infer<typeof ImportRequest>> & {
  format: RequestedFormat
}

const AgainRequest = OneConnection.extend({
  text: ImportRequest.shape.text.describe(
    'The document as text. By default it is fetched from `url`, or from the address that the connection keeps.',
  ),
  url: SourceUrl.nullish().describe('Another address of the document. An update keeps it.'),
  header: SourceHeader.nullish().describe(
    'A header to fetch the document with. It is kept only if it has a variable.',
  ),
  format: RequestedFormat.default('auto'),
  placeholders: Constants.optional().describe('By default the constants of the last import.'),
})
const again = ['no_import_source', 'invalid_document', ...cannotBeRead] as const

export const imports = {
  fetch: route('POST', '/import/fetch', 'Fetch a document to import, without reading it', [
    'imports_busy',
    ...cannotBeFetched,
  ])
    .input(DocumentSource)
    .output(FetchedDocument),
  preview: route('POST', '/import/preview', 'Preview an import, valid or not, without writing anything', [
    'workspace_not_found',
    'connection_not_found',
    ...cannotBeRead,
  ])
    .input(ImportRequest)
    .output(ImportPreview),
  apply: route('POST', '/import', 'Import a document, all of it or nothing', [
    'workspace_not_found',
    'connection_not_found',
    'invalid_document',
    ...cannotBeRead,
  ])
    .input(ImportRequest)
    .output(ImportResult),
  source: route(
    'GET',
    '/connections/{connectionId}/source',
    'The document that a connection was imported from',
  )
    .input(OneConnection)
    .output(ImportSource.nullable().describe('Null if no import is known of.')),
  compare: route(
    'POST',
    '/connections/{connectionId}/import/compare',
    'Compare a connection with its document, without writing anything',
    again,
  )
    .input(AgainRequest)
    .output(ImportComparison),
  update: route(
    'POST',
    '/connections/{connectionId}/import/update',
    'Take what a document has changed; your own edits are kept, and nothing is deleted',
    ['changed_meanwhile', ...again],
  )
    .input(
      AgainRequest.extend({
        ...UpdateChoice.shape,
        hash: z
          .string()
          .optional()
          .describe(
            'The `hash` of the comparison: another document is refused with 409 `changed_meanwhile`.',
          ),
        ...ifUpdatedAt,
      }),
    )
    .output(ImportUpdate),
  undo: route(
    'POST',
    '/connections/{connectionId}/import/undo',
    'Take back the last update from a document; possible until the connection changes or the service restarts',
    ['nothing_to_undo', 'changed_meanwhile'],
  )
    .input(OneConnection)
    .output(z.object({})),
  export: route(
    'GET',
    '/connections/{connectionId}/export',
    'A connection as an import document, without its credentials',
  )
    .input(OneConnection)
    .output(ImportDocument),
}
