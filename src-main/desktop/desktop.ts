import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '#main/lib/file-system.ts'
import { startAppService } from './app-service.ts'
import { hiddenArgument } from './arguments.ts'
import { openDesktopFile } from './desktop-file.ts'
import type { DesktopOptions, Started } from './desktop-options.ts'
import type { AppPart, ElectronParts } from './electron-parts.ts'
import { lockDown } from './lockdown.ts'
import { menuTemplate } from './menu.ts'
import { registerPageScheme, servePage } from './page.ts'
import { runApp } from './run-app.ts'
import { askAfterFailure } from './start-failure.ts'
import { createKeychain } from './system-keychain.ts'

const appName = 'custom-connection'
/** As in electron-builder.yml: Windows shows notifications of apps that it knows by it. */
const appId = 'app.custom-connection'

/**
 * Starts the desktop app: one instance for each data folder, the service, the tray, and the window unless it
 * is started at login. What has to be done before the app is ready is done before this returns its promise,
 * which is not to be awaited by the module that Electron starts: the app is ready only after that.
 *
 * @returns once everything runs, or the app is about to quit.
 */
export async function startDesktop(electron: ElectronParts, options: DesktopOptions): Promise<void> {
  const { app, protocol, Menu } = electron
  // The keychain's entry goes by the name.
  app.setName(appName)
  app.setAppUserModelId(appId)
  keepChromiumApart(app, options)
  registerPageScheme(protocol)
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  let show = () => {}
  let wasAskedToShow = false
  app.on('second-instance', () => {
    wasAskedToShow = true
    show()
  })
  app.on('activate', () => show())

  await app.whenReady()
  options.onReady()
  lockDown(electron)
  servePage(protocol, options.rendererFolder)
  const openDataFolder = () => void electron.shell.openPath(options.dataFolder)
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(menuTemplate(options.platform, app.isPackaged, { openDataFolder })),
  )
  const started = await startService(electron, options)
  if (started === null) return
  const running = runApp(electron, options, started)
  show = running.show
  const isHidden =
    options.argv.includes(hiddenArgument) ||
    (options.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)
  if (!isHidden || wasAskedToShow) show()
}

/**
 * Chromium's own files, by which the lock of the one instance goes too, lie beside the data folder, which a
 * restore replaces whole. Where they cannot, neither can the data folder be used, and that will be said.
 */
function keepChromiumApart(app: AppPart, { dataFolder, logger }: DesktopOptions): void {
  const folder = `${dataFolder}-window`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    app.setPath('userData', folder)
  } catch (err) {
    logger.warn({ err }, 'The folder of the window cannot be made')
  }
}

/** Tries until the service runs or the user has had enough. @returns null when the app is about to quit. */
async function startService(electron: ElectronParts, options: DesktopOptions): Promise<Started | null> {
  const { app, dialog, safeStorage, shell } = electron
  for (;;) {
    try {
      const file = await openDesktopFile(join(options.dataFolder, 'desktop.json'))
      const keychain = createKeychain(safeStorage, options.platform, () => file.preferences().useKeychain)
      const onFolderLost = () => app.exit(1)
      const appService = await startAppService({ ...options, keychain, onFolderLost })
      return { appService, file, keychain }
    } catch (error) {
      options.logger.error({ err: error }, `The app cannot start: ${messageOf(error)}`)
      const decision = await askAfterFailure(dialog, error)
      if (decision === 'show the data folder') await shell.openPath(options.dataFolder)
      if (decision === 'try again') continue
      app.exit(1)
      return null
    }
  }
}
