import type { BackupEntry } from '#main/backup/backup-list.ts'
import { isFuture } from '#main/backup/backup-times.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Handlers, RpcParts } from './context.ts'

export function backups({ backupList, scheduledBackups, clock }: RpcParts): Handlers['backups'] {
  return {
    async list({ input: { limit, after = Number.POSITIVE_INFINITY } }) {
      const older = (await backupList.list()).filter(({ at }) => at < after)
      return older.slice(0, limit).map(shown)
    },
    next: () => {
      const at = scheduledBackups?.nextAt() ?? null
      return { at: at === null ? null : new Date(at).toISOString() }
    },
    async note({ input: { at = clock(), bytes = null, label = null, source = 'noted' } }) {
      requirePast(at, clock())
      const entry = { at, bytes, source, label, ok: true, error: null }
      await backupList.note(entry)
      return shown(entry)
    },
  }
}

/** @throws ServiceError `invalid_input`: a backup from the future would hide for good that there is no new one. */
function requirePast(at: number, now: number): void {
  if (!isFuture(at, now)) return
  const message = 'The time is in the future. Write when the backup was made.'
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'at', message }] } })
}

const shown = ({ at, ...entry }: BackupEntry) => ({ at: new Date(at).toISOString(), ...entry })
