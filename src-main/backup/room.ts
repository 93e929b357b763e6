import { stat, statfs } from 'node:fs/promises'
import { ifThere } from '#main/lib/file-system.ts'
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

/** The sizes of those of the files that exist, together. */
export async function sizeOf(...files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map(file => ifThere(stat(file))))
  return found.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000)
