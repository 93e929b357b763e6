import { randomBytes } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { errnoOf, ifThere, syncFolder, writeAll } from '#main/lib/file-system.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { ServiceError } from '#shared/errors.ts'
import { newPrivateFile } from './files.ts'
import { readBackup } from './read-backup.ts'

export type SaveOptions = {
  /** Where the backup goes. */
  readonly file: string
  /** Whether an existing file may be replaced. */
  readonly force: boolean
  readonly signal?: AbortSignal | undefined
}

export type SavedBackup = Awaited<ReturnType<typeof saveBackup>>

/** @throws ServiceError `file_exists`; `invalid_input` if there is a folder at the path. */
export async function refuseExisting({ file, force }: SaveOptions): Promise<void> {
  const found = await ifThere(stat(file)).catch(error => {
    throw unavailable(`${file} cannot be written`, error)
  })
  if (found?.isDirectory())
    throw new ServiceError('invalid_input', { detail: `${file} is a folder; give the path of a file.` })
  if (found !== null && !force)
    throw new ServiceError('file_exists', { detail: `The file ${file} exists already; --force replaces it.` })
}

/**
 * Writes a backup to a file of mode 0600. It is written under another name beside it, read back and checked to its last
 * byte, and renamed at the end. So a file of that name is complete. Returns its size too.
 *
 * @param stream of the backup; it may end with an error.
 * @throws ServiceError as `refuseExisting`; `storage_unavailable`; `damaged_backup` if the file is not what was sent;
 *   the stream's error.
 */
export async function saveBackup(stream: Readable, options: SaveOptions) {
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
    await writeAll(stream, newPrivateFile(file), signal)
  } catch (error) {
    throw diskErrors.has(errnoOf(error) ?? '') ? unavailable(`${file} cannot be written`, error) : error
  }
}

const diskErrors = new Set('ENOENT ENOTDIR EACCES EPERM EROFS ENOSPC EDQUOT EFBIG EIO'.split(' '))
