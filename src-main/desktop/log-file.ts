import { openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf } from '#main/lib/file-system.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createDataFolder } from '#main/storage/open-storage.ts'
import type { ElectronParts } from './electron-parts.ts'

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
    await createDataFolder(dataFolder)
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

type ProcessPart = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

/**
 * Logs what nobody has caught. After an exception nothing can be relied on, so the app says so and ends, as
 * the headless service does; what was answered 200 is on the disk.
 *
 * @returns what does so for an error that was caught and cannot be helped.
 */
export function guardAgainstCrashes(
  process: ProcessPart,
  { app, dialog }: Pick<ElectronParts, 'app' | 'dialog'>,
  logger: Logger,
): (error: unknown) => void {
  process.on('unhandledRejection', err => logger.error({ err }, 'A promise was rejected and nobody heard'))
  const end = (err: unknown) => {
    logger.error({ err }, 'An exception that nobody caught')
    dialog.showErrorBox(
      'Custom Connection has stopped',
      'Something went wrong inside it; its log says what. Events that were accepted are kept. Start it again.\n\nCode: internal_error',
    )
    app.exit(1)
  }
  process.on('uncaughtException', end)
  return end
}
