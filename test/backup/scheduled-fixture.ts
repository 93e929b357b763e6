import { backupBounds, createBackupList } from '#main/backup/backup-list.ts'
import { openBackups } from '#main/backup/backups.ts'
import { createScheduledBackups } from '#main/backup/scheduled-backups.ts'
import { diffConfig } from '#main/storage/config-diff.ts'
import type { ConfigListener } from '#main/storage/config-store.ts'
import { openFolderForBackup } from '#main/storage/local/local-storage.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { dayMs } from '#shared/durations.ts'
import type { BackupSchedule } from '#shared/model/backup.ts'

export const startOfSchedule = Date.parse('2026-11-30T02:59:00.000Z')

/**
 * Opens the scheduled backups of a data folder that this process holds, without a service. A test says when to check.
 *
 * @param start what the clock shows. The schedule was set half a day before.
 */
export async function openScheduled(dataFolder: string, schedule: BackupSchedule, start = startOfSchedule) {
  const held = await openFolderForBackup(dataFolder, false)
  const problems: string[] = []
  const onProblem = (notice: string) => problems.push(notice)
  const history = await held.openHistory(backupBounds, onProblem)
  const time = { now: start }
  const clock = () => time.now
  const list = createBackupList({ ...history, clock, onProblem })
  const listeners = new Set<ConfigListener>()
  const configOf = (backup: BackupSchedule | null) => {
    const config = newConfig(start)
    return {
      ...config,
      settings: { ...config.settings, updatedAt: new Date(start - dayMs / 2).toISOString(), backup },
    }
  }
  let config = configOf(schedule)
  const scheduled = createScheduledBackups({
    store: {
      snapshot: () => config,
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    backups: await openBackups(held.sources, clock),
    ...{ list, clock, onProblem },
    housekeeping: { every: () => async () => {} },
    timeZone: () => 'UTC',
  })
  return {
    ...{ scheduled, list, problems, time },
    change(backup: BackupSchedule | null) {
      const before = config
      config = configOf(backup)
      for (const listener of listeners) listener(config, before, diffConfig(before, config))
    },
    async close() {
      await scheduled.stop()
      await history.storage.close()
      await held.close()
    },
  }
}
