import type { WriteStream } from 'node:fs'
import * as nodeFileSystem from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The part of node:fs/promises that the stores use, so that a test can make any call fail. */
export type FileSystem = Pick<
  typeof nodeFileSystem,
  'open' | 'readFile' | 'readdir' | 'rename' | 'link' | 'copyFile' | 'rm' | 'access'
>

export const systemFiles: FileSystem = nodeFileSystem

/** Returns the system's code of an error (`ENOENT`, `EACCES` …); null for other errors. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT'])

/** Returns whether a write failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return fullCodes.has(errnoOf(error) ?? '')
}

/** Returns the result of a file system call; null if the file does not exist. */
export async function ifThere<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

/** Returns `count` bytes of a file from an offset on; zeros beyond its end. */
export async function readBytes(file: string, offset: number, count: number): Promise<Buffer> {
  const handle = await systemFiles.open(file, 'r')
  try {
    const bytes = Buffer.alloc(count)
    await handle.read(bytes, 0, count, offset)
    return bytes
  } finally {
    await handle.close()
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Writes a new file of mode 0600 and waits until its content is on disk. It replaces an existing file, whose mode
 * would otherwise stay. Sync the folder to make the new entry durable.
 */
export async function writePrivately(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  fs: FileSystem = systemFiles,
): Promise<void> {
  await fs.rm(path, { force: true })
  const file = await fs.open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

// Windows cannot open a folder; some network and FUSE file systems have no fsync for one.
const noFolderSync = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS', 'EISDIR'])

/** Makes renames and new entries in a folder durable, if the file system can. */
export async function syncFolder(path: string, fs: FileSystem = systemFiles): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await fs.open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!noFolderSync.has(errnoOf(error) ?? '')) throw error
  } finally {
    await folder.close()
  }
}

/** Gives a file a second name: a hard link, which is atomic, or a copy if the file system has no links. */
export async function linkOrCopy(from: string, to: string, fs: FileSystem = systemFiles): Promise<void> {
  await fs.rm(to, { force: true })
  try {
    await fs.link(from, to)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw error
    await fs.copyFile(from, to)
    await syncFile(to, fs)
  }
}

/** Writes a file of mode 0600 atomically and durably: it survives a loss of power completely or not at all. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  fs: FileSystem = systemFiles,
): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await writePrivately(temporary, content, fs)
    await fs.rename(temporary, path)
    await syncFolder(dirname(path), fs)
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

async function syncFile(path: string, fs: FileSystem): Promise<void> {
  const file = await fs.open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Returns the first free name of `path`, `path-2`, `path-3` …; the caller is the folder's only writer. */
export async function freeName(path: string, fs: FileSystem = systemFiles): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`
    try {
      await fs.access(candidate)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return candidate
      throw error
    }
  }
}

/**
 * Writes all pieces to a file. If that fails, rejects once the file is closed: one that is still being opened would come
 * into being after its deletion.
 */
export async function writeAll(
  pieces: AsyncIterable<Uint8Array>,
  stream: WriteStream,
  signal?: AbortSignal,
): Promise<void> {
  const closed = new Promise<void>(resolve => stream.once('close', resolve))
  try {
    await pipeline(pieces, stream, signal === undefined ? {} : { signal })
  } catch (error) {
    stream.destroy()
    await closed
    throw error
  }
}
