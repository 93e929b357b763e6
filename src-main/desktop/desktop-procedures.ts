import { join } from 'node:path'
import { implement } from '@orpc/server'
import { backupFileName } from '#main/backup/backups.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { messageOf } from '#main/lib/file-system.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { withKnownErrors } from '#main/rpc/base.ts'
import type { CallContext } from '#main/rpc/context.ts'
import type { Keychain, Storage } from '#main/storage/storage.ts'
import { desktop } from '#shared/contract/desktop.ts'
import type { DesktopInfo, DesktopPreferences } from '#shared/model/desktop.ts'
import type { DesktopOptions, Started } from './app-service.ts'
import type { ElectronParts } from './electron-parts.ts'
import { setLaunchAtLogin } from './launch-at-login.ts'

/** What the window asks of the app, done. */
export function createDesktopProcedures(
  { app, dialog, shell }: ElectronParts,
  options: DesktopOptions,
  { appService, file, keychain }: Started,
): DesktopProcedures {
  const { storage, backups } = appService.service
  const inTurn = createSerialQueue()
  async function change(changes: Parameters<DesktopProcedures['change']>[0]): Promise<void> {
    const before = file.preferences()
    const {
      launchAtLogin = before.launchAtLogin,
      keepRunning = before.keepRunning,
      notifyRejected = before.notifyRejected,
      useKeychain = before.useKeychain,
      dashboardOnTcp = before.dashboardOnTcp,
    } = changes
    // What can fail comes first: a preference is kept once it is in effect.
    await appService.setDashboard(dashboardOnTcp)
    if (launchAtLogin !== before.launchAtLogin) await setLaunchAtLogin(app, options, launchAtLogin)
    const next = { launchAtLogin, keepRunning, notifyRejected, useKeychain, dashboardOnTcp }
    await file.setPreferences(next)
    if (useKeychain === before.useKeychain) return
    // The keychain asks for the preference, so this one has to be taken back.
    await storage.dataKey.keep().catch(async error => {
      await file.setPreferences({ ...next, useKeychain: before.useKeychain })
      throw error
    })
  }

  return {
    async info() {
      return {
        preferences: file.preferences(),
        keychain: await describeProtection(storage.dataKey, keychain),
        dashboardUrl: appService.dashboardUrl(),
      }
    },
    change: changes => inTurn(() => change(changes)),
    async openDataFolder() {
      return (await shell.openPath(storage.folder.path)) === ''
    },
    async openExternal(url) {
      await shell.openExternal(url)
      return true
    },
    async saveBackup() {
      const { canceled, filePath } = await dialog.showSaveDialog({
        title: 'Save a backup of the data folder',
        defaultPath: join(options.home, backupFileName(options.clock())),
      })
      if (canceled || filePath === '') return null
      const { stream } = await backups.create()
      // The dialog has asked whether a file that is there may be replaced.
      return (await saveBackup(stream, { file: filePath, force: true })).file
    },
  }
}

/** What the window can ask of the app beyond the service. */
type DesktopProcedures = {
  info(): Promise<DesktopInfo>
  /** @throws ServiceError `port_in_use`, `storage_unavailable`; nothing of it is kept then. */
  change(changes: { [Key in keyof DesktopPreferences]?: DesktopPreferences[Key] | undefined }): Promise<void>
  openDataFolder(): Promise<boolean>
  openExternal(url: string): Promise<boolean>
  /** @returns the file; null when the user chose none. @throws ServiceError as `saveBackup`. */
  saveBackup(): Promise<string | null>
}

export function createDesktopRouter(logger: Logger, procedures: DesktopProcedures) {
  const os = implement(desktop)
    .$context<CallContext>()
    .use(({ next, path }) => withKnownErrors(logger, path, () => next()))
  return os.router({
    get: os.get.handler(() => procedures.info()),
    update: os.update.handler(async ({ input }) => {
      await procedures.change(input)
      return procedures.info()
    }),
    openDataFolder: os.openDataFolder.handler(async () => ({ opened: await procedures.openDataFolder() })),
    openExternal: os.openExternal.handler(async ({ input }) => ({
      opened: await procedures.openExternal(input.url),
    })),
    saveBackup: os.saveBackup.handler(async () => ({ file: await procedures.saveBackup() })),
  })
}

/** Returns whether the keychain protects the data key, and if not, why. Asks the keychain itself. */
async function describeProtection(
  { keptIn, location }: Storage['dataKey'],
  keychain: Keychain,
): Promise<DesktopInfo['keychain']> {
  if (keptIn() === 'environment')
    return off('The key comes from the environment variable CUSTOM_CONNECTION_KEY; the keychain is not used.')
  if (keptIn() === 'keychain') return { protects: true, warning: null }
  const consequence = `Whoever can read ${location} can read the stored secrets.`
  if (!keychain.wraps) return off(`Switched off. ${consequence}`)
  try {
    // An empty text would be left as it is, without asking the keychain.
    await keychain.wrap('-')
    return off(`Protected from the next start on. Until then: ${consequence}`)
  } catch (error) {
    return off(`${messageOf(error)} Until then: ${consequence}`)
  }
}

const off = (warning: string) => ({ protects: false, warning })
