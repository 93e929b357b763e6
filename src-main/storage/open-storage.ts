import { openFolderForBackup, openLocalStorage } from './local/local-storage.ts'
import { openFolderForRestore } from './local/restore-target.ts'
import type { OfflineData, OpenedStorage, RestoreTarget, StorageOptions } from './storage.ts'

/** The entry of the storage: the rest of the service imports nothing else of its kinds. */
export { createDataFolder } from './local/data-folder.ts'
export { defaultDataFolder } from './local/data-folder-paths.ts'

/**
 * Opens the storage of a service: a data folder on this computer, or a database.
 *
 * @throws ServiceError the errors of the storage of this kind.
 */
export async function openStorage(options: StorageOptions): Promise<OpenedStorage> {
  const { database } = options
  if (database === undefined) return openLocalStorage(options)
  // A service without a database loads nothing of it.
  const { openPostgresStorage } = await import('./postgres/postgres-storage.ts')
  return openPostgresStorage(database, options)
}

/** A data folder, or the database whose URL is given. */
export type StoragePlace = Pick<StorageOptions, 'dataFolder' | 'database'> & {
  /** May have the key; by default the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Holds a data folder that no service runs on, or opens a database, to back it up.
 *
 * @throws ServiceError the errors of the storage of this kind.
 */
export async function openForBackup({
  dataFolder,
  database,
  env = process.env,
}: StoragePlace): Promise<OfflineData> {
  if (database === undefined) return openFolderForBackup(dataFolder, env.CUSTOM_CONNECTION_KEY !== undefined)
  const { openDatabaseForBackup } = await import('./postgres/backup-sources.ts')
  return openDatabaseForBackup(database)
}

/**
 * Holds a data folder, which need not exist, or opens a database, to replace its data by a backup.
 *
 * @throws ServiceError the errors of the storage of this kind.
 */
export async function openForRestore({
  dataFolder,
  database,
  env = process.env,
}: StoragePlace): Promise<RestoreTarget> {
  if (database === undefined) return openFolderForRestore(dataFolder)
  const { openDatabaseForRestore } = await import('./postgres/restore-target.ts')
  return openDatabaseForRestore(database, env)
}
