import { randomBytes } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errnoOf, ifThere, messageOf, syncFolder } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { newPrivateFile } from './files.ts'
import type { Manifest } from './manifest.ts'
import { readBackup } from './read-backup.ts'

export type SaveOptions = {
  /** Where the backup goes. */
  readonly file: string
  /** Whether a file that is there may be replaced. */
  readonly force: boolean
  readonly signal?: AbortSignal | undefined
}

export type SavedBackup = {
  readonly file: string
  /** Of the whole file. */
  readonly bytes: number
  readonly manifest: Manifest
}

/** @throws ServiceError `file_exists`; `invalid_input` when there is a folder at the path. */
export async function refuseExisting({ file, force }: SaveOptions): Promise<void> {
  const found = await ifThere(stat(file)).catch(error => {
    throw unwritable(file, error)
  })
  if (found?.isDirectory())
    throw new ServiceError('invalid_input', { detail: `${file} is a folder; give the path of a file.` })
  if (found !== null && !force)
    throw new ServiceError('file_exists', { detail: `There is a file ${file} already; --force replaces it.` })
}

/**
 * Writes a backup to a file of mode 0600. It is written under another name beside it, read back and checked
 * from end to end, and only then gets its own: whatever bears that name is whole.
 *
 * @param stream of the backup; it may break off with an error.
 * @throws ServiceError as `refuseExisting`; `storage_unavailable`; `damaged_backup` when what was written is
 *   not what was sent; and whatever the stream breaks off with.
 */
export async function saveBackup(stream: Readable, options: SaveOptions): Promise<SavedBackup> {
  const file = resolve(options.file)
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.part`
  try {
    await refuseExisting(options)
    await write(stream, unfinished, options.signal)
    const manifest = await readBackup(unfinished)
    const { size } = await stat(unfinished)
    await refuseExisting(options)
    options.signal?.throwIfAborted()
    await rename(unfinished, file)
    await syncFolder(dirname(file))
    return { file, bytes: size, manifest }
  } catch (error) {
    stream.destroy()
    await rm(unfinished, { force: true })
    throw error
  }
}

async function write(stream: Readable, file: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pipeline(stream, newPrivateFile(file), { signal })
  } catch (error) {
    throw diskErrors.has(errnoOf(error) ?? '') ? unwritable(file, error) : error
  }
}

const diskErrors = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
])

function unwritable(file: string, cause: unknown): ServiceError {
  return new ServiceError('storage_unavailable', {
    detail: `${file} cannot be written: ${messageOf(cause)}`,
    cause,
  })
}
