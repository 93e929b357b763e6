import type { ConnectionRecord } from '#main/storage/config.ts'
import { ExactJson } from '#shared/json/exact-json.ts'
import { ActionData } from '#shared/model/action.ts'
import { PortableConnection } from '#shared/model/connection.ts'
import { ExportedEventType, type ImportDocument, importVersion } from '#shared/model/import-document.ts'

/**
 * Returns a connection as an import document, with all its fields in a stable order and without credentials. Importing it
 * creates the same connection with new credentials and default settings. Pure.
 */
export function exportConnection(record: ConnectionRecord): ImportDocument {
  return {
    version: importVersion,
    connection: PortableConnection.parse(record),
    actions: record.actions.map(action => ActionData.parse(action)),
    events: record.eventTypes.map(({ samplePayload, sampleText, ...type }) => ({
      ...ExportedEventType.parse(type),
      // As text until the response is written, because copies of the object would lose a key such as `__proto__`.
      samplePayload: samplePayload && new ExactJson(sampleText ?? JSON.stringify(samplePayload)),
    })),
  }
}
