import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { errnoOf, isDiskFull, messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { unavailable } from '../unavailable.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { isBusy, isDamage } from './sqlite/own-database.ts'

/**
 * Locks the folder for this process. SQLite's file lock is the only lock that Node offers on every platform and that the
 * system releases when the process dies, even by kill -9.
 *
 * @throws ServiceError `data_folder_in_use`, with the pid if known; `storage_unavailable`.
 */
export function lockDataFolder(paths: DataFolderPaths) {
  const { lockFile, holderFile } = paths
  const first = takeLock(paths)
  let { database } = first
  let held = identityOf(lockFile)
  return {
    /** Why the pid of this process could not be written; null if it was. */
    problem: first.problem,
    /**
     * Takes the lock again if the lock file is not the one that this process holds: somebody may have deleted or
     * replaced it, and another process could lock the new one.
     *
     * @returns whether a new file had to be locked.
     * @throws ServiceError `data_folder_in_use` if another process holds the new one; `storage_unavailable`.
     */
    check(): boolean {
      if (held !== null && identityOf(lockFile) === held) return false
      const taken = takeLock(paths)
      database.close()
      database = taken.database
      held = identityOf(lockFile)
      return true
    },
    release(): void {
      // Another process may have taken the folder since the last check.
      if (readPid(holderFile) === process.pid) rmSync(holderFile, { force: true })
      database.close()
    },
  }
}

/** Returns the device and inode of a file, which no other file has while this one is open; null if it is gone. */
function identityOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}

function takeLock(paths: DataFolderPaths): { database: DatabaseSync; problem: string | null } {
  const { path, lockFile, holderFile } = paths
  const database = openLockFile(lockFile)
  try {
    // Without a journal on the disk, because the disk may be full.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    // Only its lock matters. It is empty unless something has damaged it.
    if (isDamage(cause) && (statSync(lockFile, { throwIfNoEntry: false })?.size ?? 0) > 0) {
      truncateSync(lockFile)
      return takeLock(paths)
    }
    if (!isBusy(cause)) throw unavailable(`${lockFile} cannot be used`, cause)
    const holder = livingHolder(holderFile)
    const detail = `${holder === null ? 'Another process' : `The process ${holder}`} already uses the data folder ${path}.`
    throw new ServiceError('data_folder_in_use', { detail, cause })
  }
  try {
    writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    // It only names the holder to others, so a full disk must not keep the service from starting.
    if (isDiskFull(error))
      return { database, problem: `${holderFile} cannot be written: ${messageOf(error)}` }
    database.close()
    throw unavailable(`${holderFile} cannot be used`, error)
  }
  return { database, problem: null }
}

function openLockFile(lockFile: string): DatabaseSync {
  try {
    // `wx` never opens an existing file, so it cannot close one that this process has locked (see lockFile).
    writeFileSync(lockFile, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw unavailable(`${lockFile} cannot be used`, error)
  }
  try {
    return new DatabaseSync(lockFile)
  } catch (error) {
    throw unavailable(`${lockFile} cannot be used`, error)
  }
}

/** Returns the pid that the holder wrote; null if it is not there yet, or its process has died. */
function livingHolder(holderFile: string): number | null {
  const pid = readPid(holderFile)
  if (pid === null) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return errnoOf(error) === 'EPERM' ? pid : null // EPERM: it lives, but is another user's
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
