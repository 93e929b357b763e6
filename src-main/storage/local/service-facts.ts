import { z } from 'zod'
import { errnoOf, messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { dataFolderPaths } from './data-folder-paths.ts'
import { jsonFile } from './json-file.ts'

/** What the running service says of itself to the command line, in its data folder. */
export const ServiceFacts = z.object({
  pid: z.int().positive(),
  /** A Unix socket, or a named pipe on Windows, with REST on it. */
  socketPath: z.string().min(1),
  /** The bearer token of that socket, made afresh at every start. */
  token: z.string().min(1),
  /** The inbound listener's own base URL. */
  listenerUrl: z.string(),
  /** Null where the dashboard is not on TCP. */
  dashboardUrl: z.string().nullable(),
})
export type ServiceFacts = z.infer<typeof ServiceFacts>

/**
 * Reads what the service that holds a data folder says of itself; a kill leaves it behind.
 *
 * @returns it, and the folder's absolute path.
 * @throws ServiceError `service_not_running`; `storage_unavailable` when it cannot be read.
 */
export async function readServiceFacts(dataFolder: string): Promise<{ folder: string; facts: ServiceFacts }> {
  const { path: folder, serviceFile } = dataFolderPaths(dataFolder)
  try {
    return { folder, facts: ServiceFacts.parse(await jsonFile(serviceFile).read()) }
  } catch (cause) {
    if (errnoOf(cause) !== null) {
      const detail = `${serviceFile} cannot be read: ${messageOf(cause)}. Run this as the user that the service runs as.`
      throw new ServiceError('storage_unavailable', { detail, cause })
    }
    throw new ServiceError('service_not_running', {
      detail: `No service is running on the data folder ${folder}; start one with "custom-connection serve".`,
      cause,
    })
  }
}
