import { join } from 'node:path'
import { implement } from '@orpc/server'
import { savedEntry } from '#main/backup/backup-list.ts'
import { backupFileName } from '#main/backup/backups.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { definedFields } from '#main/lib/defined-fields.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { withKnownErrors } from '#main/rpc/base.ts'
import type { CallContext } from '#main/rpc/context.ts'
import type { Keychain, Machine } from '#main/storage/storage.ts'
import { desktop } from '#shared/contract/desktop.ts'
import { type DesktopInfo, DesktopPreferences } from '#shared/model/desktop.ts'
import type { DesktopOptions, Started } from './app-service.ts'
import type { ElectronParts } from './electron-parts.ts'
import { setLaunchAtLogin } from './launch-at-login.ts'

/** Implements what the window can ask of the app beyond the service. */
export function createDesktopRouter(
  { app, dialog, shell }: ElectronParts,
  options: DesktopOptions,
  { appService, file, keychain }: Started,
) {
  const { machine, backups, backupList } = appService.service
  const inTurn = createSerialQueue()

  /** @throws ServiceError `port_in_use`, `storage_unavailable`; the preferences are then unchanged. */
  async function change(changes: object): Promise<void> {
    const before = file.preferences()
    const next = DesktopPreferences.parse({ ...before, ...definedFields(changes) })
    // Apply the preferences before storing them, because applying can fail.
    await appService.setDashboard(next.dashboardOnTcp)
    if (next.launchAtLogin !== before.launchAtLogin) await setLaunchAtLogin(app, options, next.launchAtLogin)
    await file.setPreferences(next)
    if (next.useKeychain === before.useKeychain) return
    // `useKeychain` is the exception: the keychain reads the stored preference. Restore it after a failure.
    await machine.dataKey.keep().catch(async error => {
      await file.setPreferences({ ...next, useKeychain: before.useKeychain })
      throw error
    })
  }

  const info = async () => ({
    preferences: file.preferences(),
    keychain: await describeProtection(machine.dataKey, keychain),
    dashboardUrl: appService.dashboardUrl(),
  })

  const os = implement(desktop)
    .$context<CallContext>()
    .use(({ next, path }) => withKnownErrors(options.logger, path, () => next()))
  return os.router({
    get: os.get.handler(info),
    update: os.update.handler(async ({ input }) => {
      await inTurn(() => change(input))
      return info()
    }),
    openDataFolder: os.openDataFolder.handler(async () => ({
      opened: (await shell.openPath(machine.folder.path)) === '',
    })),
    openExternal: os.openExternal.handler(async ({ input }) => {
      await shell.openExternal(input.url)
      return { opened: true }
    }),
    saveBackup: os.saveBackup.handler(async () => {
      const { canceled, filePath } = await dialog.showSaveDialog({
        title: 'Save a backup of the data folder',
        defaultPath: join(options.home, backupFileName(options.clock())),
      })
      if (canceled || filePath === '') return { file: null }
      try {
        const { stream } = await backups.create()
        // The dialog has asked whether to replace an existing file.
        const saved = await saveBackup(stream, { file: filePath, force: true })
        await backupList.put(savedEntry(saved))
        return { file: saved.file }
      } catch (error) {
        await backupList.failed('command', error)
        throw error
      }
    }),
  })
}

/** Returns whether the keychain protects the data key, and if not, why. Tries the keychain. */
async function describeProtection(
  { keptIn, location }: Machine['dataKey'],
  keychain: Keychain,
): Promise<DesktopInfo['keychain']> {
  if (keptIn() === 'environment')
    return off('The key comes from the environment variable CUSTOM_CONNECTION_KEY; the keychain is not used.')
  if (keptIn() === 'keychain') return { protects: true, warning: null }
  const consequence = `Anyone who can read ${location} can read the stored secrets.`
  if (!keychain.wraps) return off(`Switched off. ${consequence}`)
  try {
    // An empty text would not reach the keychain.
    await keychain.wrap('-')
    return off(`Protected from the next start on. Until then: ${consequence}`)
  } catch (error) {
    return off(`${messageOf(error)} Until then: ${consequence}`)
  }
}

const off = (warning: string) => ({ protects: false, warning })
