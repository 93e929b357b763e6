import { constants } from 'node:fs'
import { lchown, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { freeName, ifThere, messageOf, syncFolder } from '#main/lib/file-system.ts'
import { type DataFolder, openDataFolder } from '#main/storage/local/data-folder.ts'
import { finishRestore, restoreSiblings } from '#main/storage/local/pending-restore.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { ServiceError } from '#shared/errors.ts'
import { newPrivateFile, requireRoom } from './files.ts'
import type { Manifest } from './manifest.ts'
import { readBackup } from './read-backup.ts'
import { refuseNewer, requireUsable } from './require-usable.ts'

export type Restored = {
  /** The data folder: absolute, symbolic links resolved. */
  readonly dataFolder: string
  readonly manifest: Manifest
  /** Where the old data folder is now; null if there was none. */
  readonly setAside: string | null
  /** Sentences for the operator. */
  readonly notices: readonly string[]
}

/**
 * Replaces a data folder by a backup. The backup is unpacked into a folder beside it and checked to its last byte. Then
 * two renames follow: the old folder is moved aside, and the new one gets its name. A kill before the first rename
 * leaves the old state, and one after the second the new state. After a kill in between, `finishRestore` does the
 * second rename as soon as something opens the folder.
 *
 * @throws ServiceError `data_folder_in_use`, `data_folder_not_empty`, the errors of `readBackup`, `newer_backup`,
 *   `storage_unavailable`; the data folder is then unchanged.
 */
export async function restoreBackup(options: {
  /** The backup. */
  readonly file: string
  readonly dataFolder: string
  /** Whether a data folder that is not empty may be moved aside. */
  readonly force: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
}): Promise<Restored> {
  const existed = await isThere(options.dataFolder)
  const folder = await openDataFolder(options.dataFolder)
  try {
    const hasContent = (await contentOf(folder)).length > 0
    if (hasContent && !options.force) throw notEmpty(folder.path)
    const manifest = await unpack(options.file, folder.path, existed).catch(throwUnavailable)
    const aside = await swap(folder, options.clock()).catch(throwUnavailable)
    await folder.close()
    // Without content, it contains only our lock.
    if (!hasContent) await rm(aside, { recursive: true, force: true })
    const { notices, path } = folder
    return { dataFolder: path, manifest, setAside: hasContent ? aside : null, notices }
  } catch (error) {
    // If it fails, the next restore tries again.
    await clearAway(folder, existed).catch(() => {})
    throw error
  }
}

/** Cleans up after a failed restore. */
async function clearAway(folder: DataFolder, existed: boolean): Promise<void> {
  await folder.close()
  // If it does not exist, neither rename could be done or undone, and the ready folder is the only copy.
  if (!(await isThere(folder.path))) return
  await removeLeft(folder.path)
  if (!existed && (await contentOf(folder)).length === 0) await rm(folder.path, { recursive: true })
}

async function removeLeft(path: string): Promise<void> {
  const { unpacking, ready } = restoreSiblings(path)
  for (const left of [unpacking, ready]) await rm(left, { recursive: true, force: true })
}

/** Returns the names in the folder, without those that hold the folder itself. */
async function contentOf({
  path,
  lockFile,
  holderFile,
  serviceFile,
  socketPath,
}: DataFolder): Promise<string[]> {
  const own = [lockFile, `${lockFile}-journal`, holderFile, serviceFile, socketPath].map(file =>
    basename(file),
  )
  return (await readdir(path)).filter(name => !own.includes(name))
}

/** Resolves when the new folder is complete and durable under its name `ready`. */
async function unpack(file: string, path: string, existed: boolean): Promise<Manifest> {
  const { unpacking, ready } = restoreSiblings(path)
  // A kill may have left it. This process holds the data folder, so no other restore is running.
  await removeLeft(path)
  await mkdir(unpacking, { mode: 0o700 })
  const manifest = await readBackup(file, {
    onManifest: ({ files }) =>
      requireRoom(
        unpacking,
        files.reduce((sum, { bytes }) => sum + bytes, 0),
        'The backup',
      ),
    onFile: (name, content) => pipeline(content, newPrivateFile(join(unpacking, name))),
  })
  await refuseNewer(unpacking)
  await requireUsable(unpacking)
  await chmodLike(path, unpacking)
  const made = [unpacking, ...manifest.files.map(({ name }) => join(unpacking, name))]
  await giveTo(existed ? path : dirname(path), made)
  await syncFolder(unpacking)
  await rename(unpacking, ready)
  await syncFolder(dirname(path))
  return manifest
}

/** Neither this nor `giveTo` follows links, because somebody may create one while root restores. */
async function chmodLike(old: string, folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const { mode } = await stat(old)
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await handle.chmod(mode & 0o777)
  } finally {
    await handle.close()
  }
}

/** If root restores, the files get the owner that the service runs as. */
async function giveTo(ownerOf: string, made: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(ownerOf)
  for (const path of made) await lchown(path, uid, gid)
}

/** Returns where the old folder is now. @param now milliseconds since 1970. */
async function swap(folder: DataFolder, now: number): Promise<string> {
  const { path } = folder
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const aside = await freeName(`${path}.before-restore-${stamp}`)
  // Windows cannot rename a folder with open files. Elsewhere the lock keeps a service from starting now.
  if (process.platform === 'win32') await folder.close()
  await rename(path, aside).catch(cause => {
    const detail = `The data folder ${path} cannot be moved aside: ${messageOf(cause)}. If it is a mount point, or the folder above it is not writable, use a folder below it as the data folder.`
    throw new ServiceError('storage_unavailable', { detail, cause })
  })
  try {
    // A service that has started since does the same; either of the two may do it.
    await finishRestore(path)
  } catch (error) {
    await rename(aside, path)
    throw error
  }
  return aside
}

async function isThere(path: string): Promise<boolean> {
  return (await ifThere(stat(path))) !== null
}

function notEmpty(path: string): ServiceError {
  return new ServiceError('data_folder_not_empty', {
    detail: `The data folder ${path} is not empty; --force moves it aside.`,
  })
}

function throwUnavailable(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause
  throw unavailable('The backup cannot be unpacked', cause)
}
