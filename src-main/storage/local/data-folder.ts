import { chmod, lstat, mkdir, rmdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { errnoOf, messageOf, syncFolder } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { type DataFolderPaths, dataFolderPaths } from './data-folder-paths.ts'
import { finishRestore } from './pending-restore.ts'

export type DataFolder = DataFolderPaths & {
  /** What the operator should know, one sentence each. */
  readonly notices: readonly string[]
  /** Locks the folder again when its lock file was deleted or replaced; see `DataFolderLock`. */
  checkLock(): boolean
  /** Lets the next one have the folder. Everything in it must be closed before. */
  close(): Promise<void>
}

/**
 * Creates the folder if need be (mode 0700), and holds it for this process alone until `close()` or the
 * process's death. Keep what is returned: the lock goes with it.
 * @throws ServiceError `data_folder_in_use` naming the pid where known; `storage_unavailable` when it can
 * not be created, read or written.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const isRestored = await finishRestore(folder)
  await createFolder(resolve(folder))
  const paths = dataFolderPaths(folder)
  const notices = await adviseOnMode(paths.path)
  if (isRestored) notices.push('A restore that was interrupted in its last step has been finished.')
  const lock = lockDataFolder(paths)
  if (lock.problem !== null) notices.push(lock.problem)
  // Somebody may have deleted the lock file that another service holds; its socket still answers then.
  if (await answers(paths.socketPath)) {
    lock.release()
    throw new ServiceError('data_folder_in_use', {
      detail: `Another process already uses the data folder ${paths.path}: it answers on its socket, though its lock file is gone.`,
    })
  }
  const socketFolder = dirname(paths.socketPath)
  const ownsSocketFolder = process.platform !== 'win32' && socketFolder !== paths.path
  try {
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
      if (ownsSocketFolder) await rmdir(socketFolder).catch(() => {}) // stays when the socket does
      lock.release()
    },
  }
}

/** Whether a process accepts connections on a Unix socket or named pipe. */
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

async function createFolder(path: string): Promise<void> {
  try {
    const created = await mkdir(path, { recursive: true, mode: 0o700 })
    if (created !== undefined) await syncFolder(dirname(created))
  } catch (error) {
    throw new ServiceError('storage_unavailable', {
      detail: `The data folder ${path} cannot be created: ${messageOf(error)}`,
      cause: error,
    })
  }
}

/** A folder that was there before keeps its mode: it may be one that others have to reach, such as /srv. */
async function adviseOnMode(path: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  const { mode } = await stat(path)
  if ((mode & 0o022) === 0) return []
  return [`Other users may write to the data folder ${path}; "chmod 700" keeps them out.`]
}

/** Below a folder that everybody can write to, a name that can be guessed may be another user's already. */
async function createPrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') {
      throw new ServiceError('storage_unavailable', {
        detail: `The folder of the service's socket, ${path}, cannot be created: ${messageOf(error)}`,
        cause: error,
      })
    }
  }
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new ServiceError('storage_unavailable', {
      detail: `${path}, where the service's socket belongs, is not a folder of this user; remove it or use a data folder with a shorter path.`,
    })
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700)
}
