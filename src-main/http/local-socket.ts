import { chmod, rm } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Bus } from '#main/lib/bus.ts'
import { messageOf, writeDurably } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { DataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { isDiskFull } from '#main/storage/local/reserve.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ListenerStatus } from '#shared/model/service.ts'

/** What the running service says of itself to the command line, in the data folder's `service.json`. */
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
 * Lets a dashboard answer on the data folder's own socket, which only this user can reach, and writes down
 * how to reach it, and where the listener is, now and whenever it has moved. Whoever calls it holds the data
 * folder; `service.stop()` removes `service.json`.
 *
 * @param app made with `hosts: null` and the token of `facts`.
 * @param onError is told when `service.json` cannot be written again.
 * @returns the function that stops following the listener; to be called before `service.stop()`.
 * @throws ServiceError `storage_unavailable`.
 */
export async function openLocalSocket(
  app: FastifyInstance,
  folder: Pick<DataFolderPaths, 'socketPath' | 'serviceFile'>,
  facts: Omit<ServiceFacts, 'pid' | 'socketPath'>,
  listenerChanges: Bus<ListenerStatus>,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const { socketPath, serviceFile } = folder
  const isFile = process.platform !== 'win32'
  const write = (listenerUrl: string) => {
    const all: ServiceFacts = { pid: process.pid, socketPath, ...facts, listenerUrl }
    return writeDurably(serviceFile, `${JSON.stringify(all)}\n`)
  }
  try {
    // One that is there was left by a process that was killed: the folder is ours.
    if (isFile) await rm(socketPath, { force: true })
    await app.listen({ path: socketPath })
    if (isFile) await chmod(socketPath, 0o600)
  } catch (cause) {
    const detail = `The service's socket, ${socketPath}, cannot be made: ${messageOf(cause)}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  }
  // Without it only the command line does not find the service: no reason not to serve on a full disk.
  await write(facts.listenerUrl).catch(error => {
    if (!isDiskFull(error)) throw serviceFileProblem(serviceFile, error)
    onError(serviceFileProblem(serviceFile, error))
  })
  const inTurn = createSerialQueue()
  const stopFollowing = listenerChanges.subscribe(({ url }) => {
    if (url !== null) inTurn(() => write(url)).catch(onError)
  })
  return () => {
    stopFollowing()
    return inTurn(async () => {}) // once what is being written is
  }
}

function serviceFileProblem(serviceFile: string, cause: unknown): ServiceError {
  const detail = `${serviceFile} cannot be written: ${messageOf(cause)}`
  return new ServiceError('storage_unavailable', { detail, cause })
}
