import { statfs } from 'node:fs/promises'
import { ServiceError } from '#shared/errors.ts'

/** Bytes that stay free, so that whoever else writes to the disk can go on. */
const reserve = 64 * 1024 * 1024

/**
 * Makes sure that the disk has room for so many bytes more.
 *
 * @param folder on that disk. @param what needs the room, at the beginning of a sentence.
 * @throws ServiceError `storage_unavailable`.
 */
export async function requireRoom(folder: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes + reserve) return
  throw new ServiceError('storage_unavailable', {
    detail: `${what} needs ${megabytes(bytes + reserve)} MB on the disk of ${folder}; ${megabytes(free)} MB are free.`,
  })
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000)
