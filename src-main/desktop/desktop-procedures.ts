import { join } from 'node:path'
import { backupFileName } from '#main/backup/backup-file-name.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { DesktopOptions, Started } from './desktop-options.ts'
import type { DesktopProcedures } from './desktop-router.ts'
import type { ElectronParts } from './electron-parts.ts'
import { setLaunchAtLogin } from './launch-at-login.ts'
import { describeProtection } from './protection.ts'

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
