import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, writePrivately } from '#main/lib/file-system.ts'
import { goneConnectionIds } from '../config-diff.ts'
import type { BackupSources } from '../storage.ts'
import { unavailable } from '../unavailable.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { readKeyFile } from './key-file.ts'
import { readWholeFile } from './load-config.ts'
import type { LocalConfigStore } from './lowdb-config-store.ts'
import { backUp, type Copied } from './sqlite/backup.ts'
import { openSqliteEventLog } from './sqlite/sqlite-event-log.ts'

/** Writes a matching configuration and copies of the databases into a folder. */
type TakeSnapshot = (folder: string) => Promise<void>

type OpenStores = {
  readonly config: Pick<LocalConfigStore, 'onChange' | 'copyTo'>
  readonly events: Copied
  readonly history: Copied
  readonly knowledge: Copied
}

const configName = 'config.json'
const eventLogName = 'events.sqlite'
const historyName = 'history.sqlite'
const knowledgeName = 'knowledge.sqlite'

/** @param keyIsGiven whether the environment gives the data key; then the key file, if any, is not the key. */
export function backupSources(
  paths: DataFolderPaths,
  takeSnapshot: TakeSnapshot,
  keyIsGiven: boolean,
): BackupSources {
  return {
    folder: paths.path,
    async size() {
      const files = [paths.eventLogFile, paths.historyFile, paths.knowledgeFile].flatMap(file => [
        file,
        `${file}-wal`,
      ])
      const found = await Promise.all(files.map(file => ifThere(stat(file))))
      return found.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
    },
    async copyTo(folder) {
      await takeSnapshot(folder)
      if (!keyIsGiven) await ifThere(copyFile(paths.keyFile, join(folder, 'secret.key')))
      await ifThere(copyFile(paths.adminTokenFile, join(folder, 'admin-token')))
      const key = await readKeyFile(join(folder, 'secret.key'))
      return { dataKey: key === null ? 'environment' : key.isWrapped ? 'keychain' : 'file' }
    },
  }
}

/** Returns the snapshot of a data folder that this process holds and no service runs on. */
export function snapshotOfFolder({
  configFile,
  eventLogFile,
  historyFile,
  knowledgeFile,
}: DataFolderPaths): TakeSnapshot {
  return async folder => {
    await writePrivately(join(folder, configName), await readWholeFile(configFile, Date.now()))
    await copyDatabase('event log', eventLogFile, join(folder, eventLogName))
    await copyDatabase('history', historyFile, join(folder, historyName))
    await copyDatabase('knowledge base', knowledgeFile, join(folder, knowledgeName))
  }
}

async function copyDatabase(name: string, from: string, to: string): Promise<void> {
  if ((await ifThere(stat(from))) === null) return
  await backUp(from, to).catch(cause => {
    throw unavailable(`The ${name} ${from} cannot be copied`, cause)
  })
}

/**
 * Returns the snapshot of a running service. Neither events nor changes wait for it.
 *
 * It copies the log first and takes the configuration last. So the configuration has every connection with events in
 * the copy; one that is created meanwhile is in it without events. In the other order, the copy could have events
 * without a connection, which nobody sees and no retention deletes. A connection that is deleted meanwhile would leave
 * such events too, so the copy is cleared of them. The service that starts on the copy deletes its history.
 */
export function snapshotOfService({ config, events, history, knowledge }: OpenStores): TakeSnapshot {
  return async folder => {
    const eventLogCopy = join(folder, eventLogName)
    const deleted = new Set<string>()
    const stop = config.onChange((next, _previous, diff) => {
      for (const connectionId of goneConnectionIds(next, diff)) deleted.add(connectionId)
    })
    try {
      await events.backup(eventLogCopy)
      await history.backup(join(folder, historyName))
      await knowledge.backup(join(folder, knowledgeName))
    } finally {
      stop()
    }
    // Taken synchronously after `stop`, so that no change is missed in between.
    await config.copyTo(join(folder, configName))
    if (deleted.size > 0) await forget(eventLogCopy, deleted)
  }
}

async function forget(eventLogFile: string, connectionIds: Iterable<string>): Promise<void> {
  const copy = await openSqliteEventLog({ file: eventLogFile })
  try {
    for (const connectionId of connectionIds) {
      await copy.clear(connectionId)
      await copy.runs.forget(connectionId)
    }
  } finally {
    await copy.close()
  }
}
