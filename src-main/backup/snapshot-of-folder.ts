import { readFile, stat } from 'node:fs/promises'
import type { DataFolderPaths } from '#main/store/data-folder-paths.ts'
import { ifThere, messageOf, writePrivately } from '#main/store/file-system.ts'
import { backUp } from '#main/store/sqlite/backup.ts'
import { ServiceError } from '#shared/errors.ts'
import type { TakeSnapshot } from './snapshot.ts'

/** A snapshot of a data folder that this process holds while no service runs on it: what lies there. */
export function snapshotOfFolder(folder: Pick<DataFolderPaths, 'configFile' | 'eventLogFile'>): TakeSnapshot {
  return async ({ configFile, eventLogFile }) => {
    await writePrivately(configFile, await readFile(folder.configFile, 'utf8'))
    if ((await ifThere(stat(folder.eventLogFile))) === null) return
    await backUp(folder.eventLogFile, eventLogFile).catch(cause => {
      const detail = `The event log ${folder.eventLogFile} cannot be copied: ${messageOf(cause)}`
      throw new ServiceError('storage_unavailable', { detail, cause })
    })
  }
}
