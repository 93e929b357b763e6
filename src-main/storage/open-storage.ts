/** The entry of the storage: the rest of the service imports nothing else of `local/`. */
export { createDataFolder } from './local/data-folder.ts'
export { defaultDataFolder } from './local/data-folder-paths.ts'
/** Opens the storage of a service. There is one kind: a data folder on this computer. */
export { openForBackup, openLocalStorage as openStorage } from './local/local-storage.ts'
export { openForRestore } from './local/restore-target.ts'
