import { readFile, stat } from 'node:fs/promises'
import { ifThere, messageOf, writePrivately } from '#main/lib/file-system.ts'
import type { DataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { backUp } from '#main/storage/local/sqlite/backup.ts'
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
