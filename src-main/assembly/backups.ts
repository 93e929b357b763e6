import { createBackupList } from '#main/backup/backup-list.ts'
import { openBackups } from '#main/backup/backups.ts'
import { createScheduledBackups } from '#main/backup/scheduled-backups.ts'
import type { Storage } from '#main/storage/storage.ts'

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Opens the backups that are made on request, the list of all, and those on a schedule; null with a database. */
export async function assembleBackups(storage: Storage, onProblem: (notice: string) => void) {
  const { config: store, history, housekeeping, ids, clock, isShared } = storage
  const backups = await openBackups(storage.backupSources, clock)
  const list = createBackupList({ storage: history, nextNumber: ids.number, clock, onProblem })
  const scheduled = { store, backups, list, housekeeping, clock, timeZone, onProblem }
  return {
    backups,
    backupList: list,
    scheduledBackups: isShared ? null : createScheduledBackups(scheduled),
  }
}
