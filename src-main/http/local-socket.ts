import { chmod, rm } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Bus } from '#main/lib/bus.ts'
import { isDiskFull, messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { ServiceFacts } from '#main/storage/local/service-facts.ts'
import type { Storage } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ListenerStatus } from '#shared/model/service.ts'

/**
 * Lets a dashboard answer on the data folder's own socket, which only this user can reach, and writes down
 * how to reach it, and where the listener is, now and whenever it has moved. Closing the storage removes that.
 *
 * @param app made with `hosts: null` and the token of `facts`.
 * @param onError is told when that cannot be written again.
 * @returns the function that stops following the listener; to be called before `service.stop()`.
 * @throws ServiceError `storage_unavailable`.
 */
export async function openLocalSocket(
  app: FastifyInstance,
  { socketPath, serviceFacts }: Storage['folder'],
  facts: Omit<ServiceFacts, 'pid' | 'socketPath'>,
  listenerChanges: Bus<ListenerStatus>,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const isFile = process.platform !== 'win32'
  const write = (listenerUrl: string) => {
    const all: ServiceFacts = { pid: process.pid, socketPath, ...facts, listenerUrl }
    return serviceFacts.write(all)
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
    if (!isDiskFull(error)) throw notWritten(serviceFacts.location, error)
    onError(notWritten(serviceFacts.location, error))
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

function notWritten(location: string, cause: unknown): ServiceError {
  const detail = `${location} cannot be written: ${messageOf(cause)}`
  return new ServiceError('storage_unavailable', { detail, cause })
}
