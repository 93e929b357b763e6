import { contract } from '#shared/contract/index.ts'
import type { ImportDocument } from '#shared/model/import-document.ts'
import { findConnection } from './find-connection.ts'
import { connectToService } from './service-client.ts'

/** @throws ServiceError `service_not_running`, `connection_not_found`, `ambiguous_connection`. */
export async function exportFromService(
  dataFolder: string,
  idOrName: string,
): Promise<{ connection: string; document: ImportDocument }> {
  const service = await connectToService(dataFolder)
  try {
    const { connectionId } = findConnection(await service.call(contract.connections.list, {}), idOrName)
    return {
      connection: connectionId,
      document: await service.call(contract.imports.export, { connectionId }),
    }
  } finally {
    await service.close()
  }
}
