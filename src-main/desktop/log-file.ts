import { openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '#main/lib/logger.ts'
import { createDataFolder } from '#main/storage/open-storage.ts'
import type { ElectronParts } from './electron-parts.ts'

/** A start renames a log that is larger, in bytes; it replaces the log that was renamed before. */
const rotateAt = 5 * 1024 * 1024

/**
 * Opens the log of an app without a terminal for appending: `desktop.log` in the data folder, mode 0600.
 *
 * @returns its file descriptor, or that of stderr if it cannot be opened. The data folder is unusable then, which its
 *   opening reports.
 */
export async function openLogFile(dataFolder: string): Promise<number> {
  try {
    await createDataFolder(dataFolder)
    const path = join(dataFolder, 'desktop.log')
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size > rotateAt) renameSync(path, `${path}.old`)
    return openSync(path, 'a', 0o600)
  } catch {
    return process.stderr.fd
  }
}

type ProcessPart = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

/**
 * Logs uncaught errors. After an exception the state is unreliable, so the app shows a message and ends, as the headless
 * service does. Events that were answered 200 are durable.
 *
 * @returns the function that ends the app for a fatal error that was caught.
 */
export function guardAgainstCrashes(
  process: ProcessPart,
  { app, dialog }: Pick<ElectronParts, 'app' | 'dialog'>,
  logger: Logger,
): (error: unknown) => void {
  process.on('unhandledRejection', err => logger.error({ err }, 'Unhandled promise rejection'))
  const end = (err: unknown) => {
    logger.error({ err }, 'Uncaught exception')
    dialog.showErrorBox(
      'Custom Connection has stopped',
      'An internal error occurred; the log has the details. Accepted events are kept. Start the app again.\n\nCode: internal_error',
    )
    app.exit(1)
  }
  process.on('uncaughtException', end)
  return end
}
