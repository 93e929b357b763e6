import { chmod, lstat, mkdir, rmdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { errnoOf, ifThere, syncFolder } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { unavailable } from '../unavailable.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { type DataFolderPaths, dataFolderPaths } from './data-folder-paths.ts'
import { finishRestore } from './pending-restore.ts'

export type DataFolder = DataFolderPaths & {
  /** Sentences for the operator. */
  readonly notices: readonly string[]
  /** Takes the lock again if its file was deleted or replaced; see `lockDataFolder`. */
  checkLock(): boolean
  /** Releases the folder. Close everything in it first. */
  close(): Promise<void>
}

/**
 * Creates the folder if it does not exist (mode 0700), and holds it for this process until `close` or the end of the
 * process. Keep the returned object: it owns the lock.
 *
 * @throws ServiceError `data_folder_in_use`, with the pid if known; `storage_unavailable`.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const isRestored = await createDataFolder(folder)
  const paths = dataFolderPaths(folder)
  const notices = await adviseOnMode(paths.path)
  if (isRestored) notices.push('A restore that was interrupted in its last step has been completed.')
  const lock = lockDataFolder(paths)
  if (lock.problem !== null) notices.push(lock.problem)
  const socketFolder = dirname(paths.socketPath)
  const ownsSocketFolder = process.platform !== 'win32' && socketFolder !== paths.path
  try {
    // Somebody may have deleted the lock file of another service; its socket still answers then.
    if (await answers(paths.socketPath))
      throw new ServiceError('data_folder_in_use', {
        detail: `Another process already uses the data folder ${paths.path}: it answers on its socket, though its lock file is gone.`,
      })
    if (ownsSocketFolder) await createPrivateFolder(socketFolder)
  } catch (error) {
    lock.release()
    throw error
  }
  let open = true
  return {
    ...paths,
    notices,
    checkLock: lock.check,
    async close() {
      if (!open) return
      open = false
      // Fails while the socket is in it.
      if (ownsSocketFolder) await rmdir(socketFolder).catch(() => {})
      lock.release()
    },
  }
}

/**
 * Creates the data folder if it does not exist, or completes an interrupted restore of it.
 *
 * @returns whether there was such a restore. @throws ServiceError `storage_unavailable`.
 */
export async function createDataFolder(folder: string): Promise<boolean> {
  const isRestored = await finishRestore(folder)
  const path = resolve(folder)
  try {
    const created = await createFolders(path)
    if (created !== null) await syncFolder(dirname(created))
  } catch (error) {
    throw unavailable(`The data folder ${path} cannot be created`, error)
  }
  return isRestored
}

/**
 * Creates a folder and the missing folders above it. Node's recursive mkdir never ends where the file system answers
 * ENOENT below an existing folder, as /proc does.
 *
 * @returns the first folder that it created; null if none was missing.
 */
async function createFolders(path: string): Promise<string | null> {
  const parent = dirname(path)
  const first = parent === path || (await isFolder(parent)) ? null : await createFolders(parent)
  try {
    await mkdir(path, { mode: 0o700 })
    return first ?? path
  } catch (error) {
    if (!(await isFolder(path))) throw error
    return first
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await ifThere(stat(path)))?.isDirectory() === true
}

/** Returns whether a process accepts connections on a Unix socket or named pipe. */
function answers(socketPath: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(socketPath)
    const end = (isAnswered: boolean) => {
      socket.destroy()
      resolve(isAnswered)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

/** Does not change the mode of an existing folder: others may need it, as with /srv. */
async function adviseOnMode(path: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  const { mode } = await stat(path)
  if ((mode & 0o022) === 0) return []
  return [`Other users may write to the data folder ${path}; "chmod 700" prevents that.`]
}

/** Below a folder that everybody can write to, another user may already own a guessable name. */
async function createPrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST')
      throw unavailable(`The folder of the service's socket, ${path}, cannot be created`, error)
  }
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new ServiceError('storage_unavailable', {
      detail: `${path}, the folder for the service's socket, is not a folder of this user. Remove it, or use a data folder with a shorter path.`,
    })
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700)
}
