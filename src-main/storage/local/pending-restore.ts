import { lstat, readlink, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errnoOf, messageOf, syncFolder } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'

/** Where a restore makes the new data folder: beside the old one, so that a rename can put it in its place. */
export function restoreSiblings(path: string): { readonly unpacking: string; readonly ready: string } {
  return { unpacking: `${path}.restoring`, ready: `${path}.restored` }
}

/**
 * Does the last step of a restore that was killed right before it: the old folder has been moved away, and the
 * new one, which is whole, has not got its name yet. Whoever opens the folder calls this first, so that nobody
 * sees a folder that is missing, or begins an empty one.
 *
 * @returns whether there was anything to do. @throws ServiceError `storage_unavailable`.
 */
export async function finishRestore(folder: string): Promise<boolean> {
  const path = await targetOf(resolve(folder))
  if (await isThere(path)) return false
  try {
    await rename(restoreSiblings(path).ready, path)
    await syncFolder(dirname(path))
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false
    const detail = `The restored data folder cannot be renamed to ${path}: ${messageOf(cause)}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  }
}

/** Where a symbolic link leads, though there may be nothing at the moment. */
async function targetOf(path: string): Promise<string> {
  try {
    return await targetOf(resolve(dirname(path), await readlink(path)))
  } catch {
    return path // no link
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    return errnoOf(error) !== 'ENOENT' // whoever opens it learns why it cannot be
  }
}
