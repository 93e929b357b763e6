import { lstat, readlink, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errnoOf, syncFolder } from '#main/lib/file-system.ts'
import { unavailable } from '../unavailable.ts'

/** Returns where a restore builds the new data folder: beside the old one, so that a rename can replace it. */
export function restoreSiblings(path: string): { readonly unpacking: string; readonly ready: string } {
  return { unpacking: `${path}.restoring`, ready: `${path}.restored` }
}

/**
 * Completes a restore that was killed before its last step: the old folder has been moved away, but the new one, which
 * is complete, does not have its name yet. Must come before any other access to the folder: otherwise it would look
 * missing, and a new one would be created.
 *
 * @returns whether there was such a restore. @throws ServiceError `storage_unavailable`.
 */
export async function finishRestore(folder: string): Promise<boolean> {
  const path = await targetOf(resolve(folder))
  if (await exists(path)) return false
  try {
    await rename(restoreSiblings(path).ready, path)
    await syncFolder(dirname(path))
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false
    throw unavailable(`The restored data folder cannot be renamed to ${path}`, cause)
  }
}

/** Returns the target of a symbolic link, which may not exist, or the path itself. */
async function targetOf(path: string): Promise<string> {
  try {
    return await targetOf(resolve(dirname(path), await readlink(path)))
  } catch {
    return path
  }
}

/** Returns true also if the path is inaccessible; the code that opens it reports why. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    error => errnoOf(error) !== 'ENOENT',
  )
}
