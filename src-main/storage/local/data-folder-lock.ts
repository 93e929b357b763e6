import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { errnoOf, isDiskFull, messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'

const sqliteBusy = 5

export type DataFolderLock = {
  /** Why the pid of this process is not written down; null when it is. */
  readonly problem: string | null
  /**
   * Locks the file at the lock's path when it is not the one that this process holds: somebody may have deleted
   * or replaced it, and the system lets another process lock the new one.
   *
   * @returns whether a new file had to be locked.
   * @throws ServiceError `data_folder_in_use` when another process holds the new one; `storage_unavailable`.
   */
  check(): boolean
  release(): void
}

/**
 * Locks the folder for this process. SQLite's lock on a file is the one lock that Node offers on every
 * platform and that the system gives back when the process dies, kill -9 included.
 *
 * @throws ServiceError `data_folder_in_use`, naming the holder where known; `storage_unavailable`.
 */
export function lockDataFolder(paths: DataFolderPaths): DataFolderLock {
  const { lockFile, holderFile } = paths
  const first = takeLock(paths)
  let { database } = first
  let held = identityOf(lockFile)
  return {
    problem: first.problem,
    check() {
      if (held !== null && identityOf(lockFile) === held) return false
      const taken = takeLock(paths)
      database.close()
      database = taken.database
      held = identityOf(lockFile)
      return true
    },
    release() {
      // Another process may have taken the folder since the last check.
      if (readPid(holderFile) === process.pid) rmSync(holderFile, { force: true })
      database.close()
    },
  }
}

/** Returns the device and inode of a file, which no other file has while this one is open; null when it is gone. */
function identityOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}

type TakenLock = { readonly database: DatabaseSync; readonly problem: string | null }

function takeLock({ path, lockFile, holderFile }: DataFolderPaths): TakenLock {
  const database = openLockFile(lockFile)
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) {
      const holder = livingHolder(holderFile)
      const who = holder === null ? 'Another process' : `The process ${holder}`
      throw new ServiceError('data_folder_in_use', {
        detail: `${who} already uses the data folder ${path}.`,
        cause: error,
      })
    }
    throw unusable(lockFile, error)
  }
  try {
    writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    // It only names the holder to others; a full disk must not keep the service from starting.
    if (!isDiskFull(error)) {
      database.close()
      throw unusable(holderFile, error)
    }
    return { database, problem: `${holderFile} cannot be written: ${messageOf(error)}` }
  }
  return { database, problem: null }
}

function openLockFile(lockFile: string): DatabaseSync {
  try {
    createPrivately(lockFile)
    return new DatabaseSync(lockFile)
  } catch (error) {
    throw unusable(lockFile, error)
  }
}

/** `wx` never opens a file that exists, and so never closes one that this process has locked (see lockFile). */
function createPrivately(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === sqliteBusy
  )
}

/** The pid that the holder wrote down; null when it is not there (yet) or left over from one that died. */
function livingHolder(holderFile: string): number | null {
  const pid = readPid(holderFile)
  if (pid === null) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return errnoOf(error) === 'EPERM' ? pid : null // EPERM: alive, and another user's
  }
}

function readPid(holderFile: string): number | null {
  try {
    const pid = Number(readFileSync(holderFile, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function unusable(path: string, error: unknown): ServiceError {
  return new ServiceError('storage_unavailable', {
    detail: `${path} cannot be used: ${messageOf(error)}`,
    cause: error,
  })
}
