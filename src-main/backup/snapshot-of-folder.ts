import { readFile, stat } from 'node:fs/promises'
import type { DataFolderPaths } from '#main/store/data-folder-paths.ts'
import { ifThere, messageOf, writePrivately } from '#main/store/file-system.ts'
import { backUp } from '#main/store/sqlite/backup.ts'
import { ServiceError } from '#shared/errors.ts'
import type { TakeSnapshot } from './snapshot.ts'

/** A snapshot of a data folder that this process holds while no service runs on it: what lies there. */
export function snapshotOfFolder(
  folder: Pick<DataFolderPaths, 'configFile' | 'eventLogFile' | 'historyFile'>,
): TakeSnapshot {
  return async ({ configFile, eventLogFile, historyFile }) => {
    await writePrivately(configFile, await readFile(folder.configFile, 'utf8'))
    await copy('event log', folder.eventLogFile, eventLogFile)
    await copy('history', folder.historyFile, historyFile)
  }
}

async function copy(what: string, from: string, to: string): Promise<void> {
  if ((await ifThere(stat(from))) === null) return
  await backUp(from, to).catch(cause => {
    const detail = `The ${what} ${from} cannot be copied: ${messageOf(cause)}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  })
}
