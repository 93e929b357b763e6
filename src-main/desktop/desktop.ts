import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describeFailure } from '#main/cli/output.ts'
import { messageOf } from '#main/lib/file-system.ts'
import type { ErrorCode } from '#shared/errors.ts'
import { type DesktopOptions, type Started, startAppService } from './app-service.ts'
import { hiddenArgument } from './arguments.ts'
import { openDesktopFile } from './desktop-file.ts'
import type { AppPart, DialogPart, ElectronParts } from './electron-parts.ts'
import { lockDown } from './lockdown.ts'
import { menuTemplate } from './menus.ts'
import { registerPageScheme, servePage } from './page.ts'
import { runApp } from './run-app.ts'
import { createKeychain } from './system-keychain.ts'

const appName = 'custom-connection'
/** As in electron-builder.yml. Windows shows notifications only of apps whose id it knows. */
const appId = 'app.custom-connection'

/**
 * Starts the desktop app: one instance for each data folder, the service, the tray and, unless it is started at login,
 * the window. Everything that must happen before the app is ready happens synchronously. Electron's start module must
 * not await the promise: the app becomes ready only after that module has run.
 *
 * @returns when everything runs, or the app is about to quit.
 */
export async function startDesktop(electron: ElectronParts, options: DesktopOptions): Promise<void> {
  const { app, protocol, Menu } = electron
  // The keychain's entry has this name.
  app.setName(appName)
  app.setAppUserModelId(appId)
  separateChromiumFiles(app, options)
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
 * Places Chromium's files, including the single-instance lock, beside the data folder, because a restore replaces the
 * whole data folder. If that fails, the data folder is unusable too, which is reported later.
 */
function separateChromiumFiles(app: AppPart, { dataFolder, logger }: DesktopOptions): void {
  const folder = `${dataFolder}-window`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    app.setPath('userData', folder)
  } catch (err) {
    logger.warn({ err }, 'The folder for the window cannot be created')
  }
}

/** Tries until the service runs or the user quits. Returns null if the app is about to quit. */
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
      if (decision === 'Show data folder') await shell.openPath(options.dataFolder)
      if (decision === 'Try again') continue
      app.exit(1)
      return null
    }
  }
}

type Decision = 'Try again' | 'Show data folder' | 'Quit'

/** Remedies for errors whose message has none. */
const remedies: Partial<Record<ErrorCode, string>> = {
  data_folder_in_use: 'Stop the other one, such as a service started with "serve", then try again.',
  damaged_configuration:
    'Restore a backup of the data folder, or repair the file. It stays as it is until then.',
  newer_configuration: 'Install that version again, or restore an earlier backup.',
  wrong_key: 'Restore the key file from a backup, then try again.',
  storage_unavailable: 'Free space on the disk or allow access to the folder, then try again.',
}

/** Shows why the service cannot start, and asks what to do. */
async function askAfterFailure(dialog: DialogPart, error: unknown): Promise<Decision> {
  const { code, message } = describeFailure(error)
  const remedy = remedies[code]
  // The user should not change a folder that another process uses.
  const decisions: Decision[] =
    code === 'data_folder_in_use' ? ['Try again', 'Quit'] : ['Try again', 'Show data folder', 'Quit']
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Custom Connection',
    message: 'Custom Connection cannot start',
    detail: `${message}${remedy === undefined ? '' : `\n\n${remedy}`}\n\nCode: ${code}`,
    buttons: decisions,
    defaultId: 0,
    cancelId: decisions.length - 1,
  })
  return decisions[response] ?? 'Quit'
}
