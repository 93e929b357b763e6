import { requireBackupFolder } from '#main/backup/scheduled-backups.ts'
import { definedFields } from '#main/lib/defined-fields.ts'
import { timeAfter } from '#main/lib/next-version.ts'
import { readAuthorities } from '#main/outbound/trust.ts'
import { ServiceError } from '#shared/errors.ts'
import { Settings } from '#shared/model/settings.ts'
import { type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'

export function settings(parts: RpcParts): Handlers['settings'] {
  const { store, trust, scheduledBackups } = parts
  /** A schedule that came with the data of a folder does nothing on a database. */
  const shown = (settings: Settings): Settings =>
    scheduledBackups === null ? { ...settings, backup: null } : settings
  return {
    get: () => shown(store.snapshot().settings),
    update: async ({ input: { ifUpdatedAt, ...change } }) => {
      const context = change.caFile === undefined ? null : await readAuthorities(change.caFile)
      if (change.backup) {
        if (scheduledBackups === null) throw new ServiceError('scheduled_backup_not_available')
        await requireBackupFolder(change.backup.folder)
      }
      const settings = await store.update(config => {
        const before = config.settings
        requireVersion(before, ifUpdatedAt, Settings, shown)
        const updatedAt = timeAfter(before.updatedAt, nowOf(parts))
        const settings = Settings.parse({ ...before, ...definedFields(change), updatedAt })
        return { next: { ...config, settings }, result: settings }
      })
      if (context !== null) trust.use(context)
      return shown(settings)
    },
  }
}
