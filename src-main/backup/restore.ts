import { constants } from 'node:fs'
import { lchown, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { freeName, ifThere, messageOf, syncFolder } from '#main/lib/file-system.ts'
import { type DataFolder, openDataFolder } from '#main/storage/local/data-folder.ts'
import { finishRestore, restoreSiblings } from '#main/storage/local/pending-restore.ts'
import { ServiceError } from '#shared/errors.ts'
import { newPrivateFile, requireRoom } from './files.ts'
import type { Manifest } from './manifest.ts'
import { readBackup } from './read-backup.ts'
import { refuseNewer, requireUsable } from './require-usable.ts'

export type RestoreOptions = {
  /** The backup. */
  readonly file: string
  readonly dataFolder: string
  /** Whether a data folder that holds anything may be moved aside. */
  readonly force: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export type Restored = {
  /** The data folder: absolute, symbolic links resolved. */
  readonly dataFolder: string
  readonly manifest: Manifest
  /** Where what was there before is now; null when there was nothing. */
  readonly setAside: string | null
  /** What the operator should know, one sentence each. */
  readonly notices: readonly string[]
}

/**
 * Puts a backup in the place of a data folder. The backup is unpacked into a folder beside it and checked to
 * its last byte; only then is anything changed, by two renames: the old folder is moved aside, the new one gets
 * its name. A kill before the first leaves the old state, one after the second the new one; after one in
 * between, `finishRestore` does the second, whenever anybody opens the folder.
 *
 * @throws ServiceError `data_folder_in_use`, `data_folder_not_empty`, what `readBackup` throws, `newer_backup`,
 *   `storage_unavailable`; the data folder is then as it was.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const existed = await isThere(options.dataFolder)
  const folder = await openDataFolder(options.dataFolder)
  try {
    const hasContent = (await contentOf(folder)).length > 0
    if (hasContent && !options.force) throw notEmpty(folder.path)
    const manifest = await unpack(options.file, folder.path, existed).catch(throwUnavailable)
    const aside = await swap(folder, options.clock()).catch(throwUnavailable)
    await folder.close()
    // Without content it holds our lock and nothing else.
    if (!hasContent) await rm(aside, { recursive: true, force: true })
    const { notices, path } = folder
    return { dataFolder: path, manifest, setAside: hasContent ? aside : null, notices }
  } catch (error) {
    await clearAway(folder, existed).catch(() => {}) // the next restore does
    throw error
  }
}

/** Leaves things as they were before a restore that failed. */
async function clearAway(folder: DataFolder, existed: boolean): Promise<void> {
  await folder.close()
  // Were it not there, neither step back nor forth has worked, and what is ready is the way out.
  if (!(await isThere(folder.path))) return
  await removeLeft(folder.path)
  if (!existed && (await contentOf(folder)).length === 0) await rm(folder.path, { recursive: true })
}

async function removeLeft(path: string): Promise<void> {
  const { unpacking, ready } = restoreSiblings(path)
  for (const left of [unpacking, ready]) await rm(left, { recursive: true, force: true })
}

/** What is in the folder beside what it takes to hold it. */
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

/** @returns once the new folder is whole and on the disk under its name of `ready`. */
async function unpack(file: string, path: string, existed: boolean): Promise<Manifest> {
  const { unpacking, ready } = restoreSiblings(path)
  // Left by a kill; this process holds the data folder, so nobody else is at work here.
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

/** Neither this nor `giveTo` follows a link: where root restores, one may have been put there meanwhile. */
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

/** What root restores belongs to whom the service that will use it runs as. */
async function giveTo(ownerOf: string, made: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(ownerOf)
  for (const path of made) await lchown(path, uid, gid)
}

/** @param now milliseconds since 1970. @returns where the old folder is. */
async function swap(folder: DataFolder, now: number): Promise<string> {
  const { path } = folder
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const aside = await freeName(`${path}.before-restore-${stamp}`)
  // Windows renames no folder in which a file is open; elsewhere the lock keeps a service from starting now.
  if (process.platform === 'win32') await folder.close()
  await rename(path, aside).catch(cause => {
    const detail = `The data folder ${path} cannot be moved aside: ${messageOf(cause)}. Where it is a mount point, or the folder above it may not be written to, use a folder below it as the data folder.`
    throw new ServiceError('storage_unavailable', { detail, cause })
  })
  try {
    // A service that has been started since does the same: it does not matter which of the two it is.
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
    detail: `The data folder ${path} is not empty; --force moves what is there aside.`,
  })
}

function throwUnavailable(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause
  const detail = `The backup cannot be unpacked: ${messageOf(cause)}`
  throw new ServiceError('storage_unavailable', { detail, cause })
}
