import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import type { Logger } from '#main/lib/logger.ts'
import type { ServiceError } from '#shared/errors.ts'
import type { DesktopOptions, Started } from './app-service.ts'
import { createDesktopRouter } from './desktop-procedures.ts'
import type { ElectronParts } from './electron-parts.ts'
import { followHeldCalls } from './held-call-notices.ts'
import { setLaunchAtLogin } from './launch-at-login.ts'
import { acceptPorts } from './lockdown.ts'
import { createTray } from './menus.ts'
import { createNotifier } from './notifier.ts'
import { followRejections } from './rejection-notices.ts'
import { createAppWindow } from './window.ts'
import { followWorkflowNotices } from './workflow-notices.ts'

/** Adds window, tray and notifications to a running service, and stops them together. */
export function runApp(
  electron: ElectronParts,
  options: DesktopOptions,
  started: Started,
): { readonly show: () => void } {
  const { app, dialog } = electron
  const { logger, clock, iconFolder, platform, preloadFile } = options
  const { appService, file } = started
  const { service } = appService

  const window = createAppWindow(electron, {
    platform,
    preloadFile,
    clock,
    icon: join(iconFolder, '512.png'),
    keptState: file.window,
    keepState: state =>
      file.setWindow(state).catch(err => logger.warn({ err }, 'The window position cannot be stored')),
    onCrash: reason => askAfterCrash(electron, reason),
  })
  const desktop = createDesktopRouter(electron, options, started)
  const handler = new RPCHandler({ ...service.router, desktop })
  acceptPorts(electron.ipcMain, window.current, port => {
    handler.upgrade(port, { context: {} })
    port.start()
  })

  const removeTray = createTray(electron, {
    platform,
    iconFolder,
    listenerStatus: service.listenerStatus,
    listenerChanges: service.listenerChanges,
    open: window.show,
    quit: () => app.quit(),
  })
  const notices = {
    client: createRouterClient(service.router, { context: {} }),
    show: createNotifier(electron, window.show),
    setTimer: options.setTimer,
    logger,
  }
  const stopRejections = followRejections({ ...notices, isOn: () => file.preferences().notifyRejected })
  const stopWorkflowNotices = followWorkflowNotices(notices)
  const stopHeldCallNotices = followHeldCalls({ ...notices, changes: service.assistant.changes })

  app.on('window-all-closed', () => {
    if (!file.preferences().keepRunning) app.quit()
  })
  stopBeforeQuitting(electron, logger, async () => {
    stopRejections()
    stopWorkflowNotices()
    stopHeldCallNotices()
    removeTray()
    await Promise.all([window.keep(), appService.stop()])
  })
  void applyPreferences(electron, options, started)
  if (appService.listenProblem !== null) void showListenProblem(dialog, appService.listenProblem)
  return { show: window.show }
}

/** Do not await it: the user can change the address in the window beside the dialog. */
async function showListenProblem(
  dialog: ElectronParts['dialog'],
  { code, message }: ServiceError,
): Promise<void> {
  await dialog.showMessageBox({
    type: 'warning',
    title: 'Custom Connection',
    message: 'Events cannot be received',
    detail: `${message} Choose another address in the settings, or stop the other program and start this one again.\n\nCode: ${code}`,
    buttons: ['OK'],
    defaultId: 0,
    cancelId: 0,
  })
}

/** Applies the preferences at the start. Failures are logged, and the preferences page shows them. */
async function applyPreferences(
  { app }: ElectronParts,
  options: DesktopOptions,
  { appService, file }: Started,
): Promise<void> {
  const { dashboardOnTcp, launchAtLogin } = file.preferences()
  try {
    // An AppImage may have moved. On other systems this would undo the user's choice in the system settings.
    if (launchAtLogin && options.platform === 'linux') await setLaunchAtLogin(app, options, true)
    await appService.setDashboard(dashboardOnTcp)
  } catch (err) {
    options.logger.error({ err }, 'A preference cannot be applied')
  }
}

/** Returns whether to load the page again. */
async function askAfterCrash({ app, dialog }: ElectronParts, reason: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Custom Connection',
    message: 'The window has stopped working again',
    detail: `Events are still received. Load the window again, or quit.\n\nReason: ${reason}`,
    buttons: ['Load again', 'Quit'],
    defaultId: 0,
    cancelId: 0,
  })
  if (response === 0) return true
  app.quit()
  return false
}

/**
 * Delays quitting until requests in flight are finished. When the system shuts down, it does not delay, because that could
 * cancel the shutdown. No event is lost: events that were answered with 200 are already durable.
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
