import { constants } from 'node:fs'
import { lchown, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { freeName, ifThere, messageOf, syncFolder } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { RestoreTarget } from '../storage.ts'
import { type DataFolder, openDataFolder } from './data-folder.ts'
import { finishRestore, restoreSiblings } from './pending-restore.ts'
import { refuseNewer, requireUsable } from './require-usable.ts'

/**
 * Holds a data folder, which need not exist, to replace it by a backup. The backup is unpacked into a folder beside it.
 * Then two renames follow: the old folder is moved aside, and the new one gets its name. A kill before the first rename
 * leaves the old state, and one after the second the new state. After a kill in between, `finishRestore` does the
 * second rename as soon as something opens the folder.
 *
 * @throws ServiceError `data_folder_in_use`, `storage_unavailable`.
 */
export async function openFolderForRestore(dataFolder: string): Promise<RestoreTarget> {
  const existed = await isThere(dataFolder)
  const folder = await openDataFolder(dataFolder)
  const { path, notices } = folder
  const { unpacking, ready } = restoreSiblings(path)
  let isReplaced = false
  const hasContent = async () => (await contentOf(folder)).length > 0

  /** A kill may have left something. This process holds the data folder, so no other restore is running. */
  async function removeLeft(): Promise<void> {
    for (const left of [unpacking, ready]) await rm(left, { recursive: true, force: true })
  }

  /** Cleans up after a failed restore. */
  async function clearAway(): Promise<void> {
    // If it does not exist, neither rename could be done or undone, and the ready folder is the only copy.
    if (!(await isThere(path))) return folder.close()
    await removeLeft()
    const isLeft = existed || (await hasContent())
    await folder.close()
    if (!isLeft) await rm(path, { recursive: true })
  }

  return {
    path,
    notices,
    async requireReplaceable(force) {
      if (force || !(await hasContent())) return
      const detail = `The data folder ${path} is not empty; --force moves it aside.`
      throw new ServiceError('data_folder_not_empty', { detail })
    },
    async unpackInto() {
      await removeLeft()
      await mkdir(unpacking, { mode: 0o700 })
      return unpacking
    },
    async replace(now) {
      await refuseNewer(unpacking)
      await requireUsable(unpacking)
      await chmodLike(path, unpacking)
      await giveTo(existed ? path : dirname(path), unpacking)
      await syncFolder(unpacking)
      await rename(unpacking, ready)
      await syncFolder(dirname(path))
      const had = await hasContent()
      const aside = await swap(folder, now)
      isReplaced = true
      await folder.close()
      // Without content, it contains only our lock.
      if (!had) await rm(aside, { recursive: true, force: true })
      return had ? aside : null
    },
    async close() {
      if (isReplaced) return folder.close()
      // If it fails, the next restore tries again.
      await clearAway().catch(() => folder.close())
    },
  }
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
async function giveTo(ownerOf: string, made: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(ownerOf)
  const files = (await readdir(made)).map(name => join(made, name))
  for (const path of [made, ...files]) await lchown(path, uid, gid)
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
