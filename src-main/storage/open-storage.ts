import { openLocalStorage } from './local/local-storage.ts'
import type { OpenedStorage, StorageOptions } from './storage.ts'

/** The entry of the storage: the rest of the service imports nothing else of its kinds. */
export { createDataFolder } from './local/data-folder.ts'
export { defaultDataFolder } from './local/data-folder-paths.ts'
export { openForBackup } from './local/local-storage.ts'
export { openForRestore } from './local/restore-target.ts'

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
