import type { Logger } from '#main/lib/logger.ts'
import type { ElectronParts } from './electron-parts.ts'

/**
 * Holds the end of the app up until what is under way is finished, then ends it. Not when the system shuts
 * down, which that would hold up or call off: what was answered 200 is on the disk anyway.
 */
export function stopBeforeQuitting(
  { app, powerMonitor }: Pick<ElectronParts, 'app' | 'powerMonitor'>,
  logger: Logger,
  stop: () => Promise<void>,
): void {
  let isStopping = false
  let isShuttingDown = false
  powerMonitor.on('shutdown', () => {
    isShuttingDown = true
  })
  app.on('before-quit', event => {
    if (isShuttingDown) return
    event.preventDefault()
    if (isStopping) return
    isStopping = true
    stop().then(
      () => app.exit(0),
      err => {
        logger.error({ err }, 'Stopping failed')
        app.exit(1)
      },
    )
  })
}
