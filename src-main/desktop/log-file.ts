import { mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '#main/store/file-system.ts'

/** Bytes past which a log is put aside at the start, in the place of the one before it. */
const rotateAt = 5 * 1024 * 1024

/**
 * Opens the log of an app that no terminal reads, for appending, mode 0600.
 *
 * @returns its file descriptor.
 */
export function openLogFile(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    if (statSync(path).size > rotateAt) renameSync(path, `${path}.old`)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
  return openSync(path, 'a', 0o600)
}
