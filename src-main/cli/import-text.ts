import { contract } from '#shared/contract/index.ts'
import { type ErrorCode, type ErrorData, ServiceError } from '#shared/errors.ts'
import { guessImportFormat } from '#shared/model/import-format.ts'
import type { ImportFormat, ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { findConnection } from './find-connection.ts'
import { connectToService } from './service-client.ts'

export type ImportOrder = {
  readonly text: string
  /** Null: guessed from the text. */
  readonly format: ImportFormat | null
  /** Id or name of the connection to add to; null for a new one. */
  readonly connection: string | null
  readonly workspaceId: string | null
  readonly dryRun: boolean
}

export type ImportOutcome = {
  readonly preview: ImportPreview
  /** Null when nothing was imported: it was not to be, or could not. */
  readonly result: ImportResult | null
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly data?: ErrorData } | null
}

/**
 * Previews a text in the running service, and imports it unless that is all that is wanted.
 *
 * @throws ServiceError `service_not_running`, `connection_not_found`, `ambiguous_connection`,
 *   `workspace_not_found`.
 */
export async function importText(dataFolder: string, order: ImportOrder): Promise<ImportOutcome> {
  const service = await connectToService(dataFolder)
  try {
    const { text, workspaceId } = order
    const connectionId =
      order.connection === null
        ? null
        : findConnection(await service.call(contract.connections.list, {}), order.connection).connectionId
    const request = { text, connectionId, workspaceId, format: order.format ?? guessImportFormat(text) }
    const preview = await service.call(contract.imports.preview, request)
    if (order.dryRun) return { preview, result: null, error: null }
    try {
      const result = await service.call(contract.imports.apply, request)
      return { preview, result, error: null }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_document') throw error
      const { code, message, data } = error
      return { preview, result: null, error: { code, message, ...(data === undefined ? {} : { data }) } }
    }
  } finally {
    await service.close()
  }
}
