import type { Logger } from '#main/lib/logger.ts'
import type { ElectronParts } from './electron-parts.ts'

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
