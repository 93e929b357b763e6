import { mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '#main/lib/file-system.ts'
import { finishRestore } from '#main/storage/local/pending-restore.ts'

/** Bytes past which a log is put aside at the start, in the place of the one before it. */
const rotateAt = 5 * 1024 * 1024

/**
 * Opens the log of an app that no terminal reads, `desktop.log` in the data folder, for appending, mode 0600.
 *
 * @returns its file descriptor; that of stderr where it cannot be opened: neither can the data folder be used
 *   then, and whoever opens that says so.
 */
export async function openLogFile(dataFolder: string): Promise<number> {
  try {
    // First, since a new folder would hide the one that a restore has made ready.
    await finishRestore(dataFolder)
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    const path = join(dataFolder, 'desktop.log')
    if (sizeOf(path) > rotateAt) renameSync(path, `${path}.old`)
    return openSync(path, 'a', 0o600)
  } catch {
    return process.stderr.fd
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0
    throw error
  }
}
