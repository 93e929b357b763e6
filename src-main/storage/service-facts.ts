import { z } from 'zod'
import { errnoOf, messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { jsonFile } from './document.ts'
import { dataFolderPaths } from './local/data-folder-paths.ts'

/** How the command line reaches the running service: a document in its data folder. */
export const ServiceFacts = z.object({
  pid: z.int().positive(),
  /** A Unix socket, or a named pipe on Windows, that serves REST. */
  socketPath: z.string().min(1),
  /** The bearer token of that socket, new at every start. */
  token: z.string().min(1),
  /** The inbound listener's own base URL. */
  listenerUrl: z.string(),
  /** Null if the dashboard is not on TCP. */
  dashboardUrl: z.string().nullable(),
})
export type ServiceFacts = z.infer<typeof ServiceFacts>

/**
 * Reads the facts of the service that holds a data folder. After a kill they are still there.
 *
 * @returns the facts, and the folder's absolute path.
 * @throws ServiceError `service_not_running`; `storage_unavailable` if the file cannot be read.
 */
export async function readServiceFacts(dataFolder: string): Promise<{ folder: string; facts: ServiceFacts }> {
  const { path: folder, serviceFile } = dataFolderPaths(dataFolder)
  try {
    return { folder, facts: ServiceFacts.parse(await jsonFile(serviceFile).read()) }
  } catch (cause) {
    if (errnoOf(cause) !== null) {
      const detail = `${serviceFile} cannot be read: ${messageOf(cause)}. Run this as the service's user.`
      throw new ServiceError('storage_unavailable', { detail, cause })
    }
    const detail = `No service is running on the data folder ${folder}. Start one with "custom-connection serve".`
    throw new ServiceError('service_not_running', { detail, cause })
  }
}
