import type { ConnectionRecord } from '#main/storage/config.ts'
import { ExactJson } from '#shared/json/exact-json.ts'
import { type ImportDocument, importVersion } from '#shared/model/import-document.ts'

/**
 * The connection as an import document: every field that the document has, in a stable order, and no
 * credential. Importing it gives the same connection, less its credentials and settings. Pure.
 */
export function exportConnection(record: ConnectionRecord): ImportDocument {
  const { name, baseUrl, persistEvents } = record
  return {
    version: importVersion,
    connection: { name, baseUrl, persistEvents },
    actions: record.actions.map(action => ({
      name: action.name,
      toolName: action.toolName,
      description: action.description,
      method: action.method,
      path: action.path,
      headers: action.headers,
      parameters: action.parameters.map(({ name, type, description, required }) => ({
        name,
        type,
        description,
        required,
      })),
      responseMapping: action.responseMapping,
      isEnabled: action.isEnabled,
    })),
    events: record.eventTypes.map(({ eventName, label, samplePayload, sampleText }) => ({
      eventName,
      label,
      // As text until the answer is written: what copies an object on the way loses a key such as `__proto__`.
      samplePayload: samplePayload && new ExactJson(sampleText ?? JSON.stringify(samplePayload)),
    })),
  }
}
