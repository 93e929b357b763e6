import type { ConnectionRecord } from '#main/storage/config.ts'
import { ExactJson } from '#shared/json/exact-json.ts'
import { ActionData } from '#shared/model/action.ts'
import { PortableConnection } from '#shared/model/connection.ts'
import { ExportedEventType, type ImportDocument, importVersion } from '#shared/model/import-document.ts'

/**
 * The connection as an import document: every field that the document has, in a stable order, and no
 * credential. Importing it gives the same connection, less its credentials and settings. Pure.
 */
export function exportConnection(record: ConnectionRecord): ImportDocument {
  return {
    version: importVersion,
    connection: PortableConnection.parse(record),
    actions: record.actions.map(action => ActionData.parse(action)),
    events: record.eventTypes.map(({ samplePayload, sampleText, ...type }) => ({
      ...ExportedEventType.parse(type),
      // As text until the answer is written: what copies an object on the way loses a key such as `__proto__`.
      samplePayload: samplePayload && new ExactJson(sampleText ?? JSON.stringify(samplePayload)),
    })),
  }
}
