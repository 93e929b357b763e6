import { messageOf } from '#main/lib/file-system.ts'
import { createJobRunner } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import { dayMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { BackupSources, OfflineData, OfflineHistory, OpenHistory } from '../storage.ts'
import type { CopyJob } from './backup-worker.ts'
import { connectorTo } from './connect.ts'
import { numberOfNoNode } from './ids.ts'
import { isEmpty } from './import-rows.ts'
import { migrate, migrateMs } from './migrate.ts'
import { openOccurrences } from './occurrences.ts'
import { Pool } from './pool.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * Returns what a backup of a database contains. A thread copies it, because SQLite writes synchronously.
 *
 * @param folder in which copies are made.
 */
export function databaseSources(url: string, folder: string): BackupSources & { stop(): Promise<void> } {
  const copier = createJobRunner<CopyJob, null>({
    entry: workerUrl('backup-worker', import.meta.url),
    name: 'backup',
    cpuLimitMs: dayMs,
    timeLimitMs: dayMs,
    memoryLimitMb: 512,
    maxWaiting: 10,
    idleMs: 0,
  })
  return {
    folder,
    async size() {
      const connection = await connectorTo(url)()
      try {
        const [row] = await connection.query('SELECT pg_database_size(current_database()) AS bytes')
        return Number(row?.bytes)
      } finally {
        connection.end()
      }
    },
    async copyTo(copies) {
      await copier.run({ url, folder: copies })
      return { dataKey: 'environment' }
    },
    stop: copier.stop,
  }
}

/**
 * Opens a database, which services may use meanwhile, to back it up. Copies are made in the system's folder for
 * temporary files.
 *
 * @throws ServiceError `invalid_input` if it has no data; `invalid_database_url`, `unsafe_database`, `newer_database`,
 *   `storage_unavailable`.
 */
export async function openDatabaseForBackup(url: string): Promise<OfflineData> {
  const pool = new Pool(connectorTo(url, { silentMs: migrateMs }), 1)
  try {
    if (await pool.use(isEmpty))
      throw new ServiceError('invalid_input', {
        detail: 'The database has no data of a service. Check its URL.',
      })
    await migrate(pool)
  } finally {
    pool.close()
  }
  const folder = await temporaryFolder()
  const { stop, ...sources } = databaseSources(url, folder.path)
  return {
    sources,
    openHistory: (bounds, onProblem) => openHistory(url, bounds, onProblem),
    async close() {
      await stop()
      await folder.remove()
    },
  }
}

async function openHistory(
  url: string,
  ...[bounds, onProblem]: Parameters<OpenHistory>
): Promise<OfflineHistory> {
  const pool = new Pool(connectorTo(url), 1)
  const history = await openOccurrences({
    ...{ pool, slowPool: pool, bounds, clock: Date.now },
    onProblem: error => onProblem(messageOf(error)),
  })
  return {
    storage: { ...history, close: async () => pool.close() },
    nextNumber: () => numberOfNoNode(Date.now()),
  }
}
