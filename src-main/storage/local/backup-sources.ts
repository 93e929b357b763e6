import { copyFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, messageOf, writePrivately } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { BackupSources } from '../backup-sources.ts'
import { goneConnectionIds } from '../config.ts'
import type { ConfigStore } from '../config-store.ts'
import type { EventLog } from '../event-log.ts'
import type { OccurrenceStorage } from '../occurrence-storage.ts'
import { toFile } from './config-file.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import type { Sealer } from './secrets.ts'
import { backUp } from './sqlite/backup.ts'
import { openSqliteEventLog } from './sqlite/sqlite-event-log.ts'

type SourceFiles = Pick<
  DataFolderPaths,
  'path' | 'configFile' | 'eventLogFile' | 'historyFile' | 'keyFile' | 'adminTokenFile'
>

/** Writes the configuration and copies of the databases, which belong together, into a folder. */
type TakeSnapshot = (place: string) => Promise<void>

export type OpenStores = {
  readonly config: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly events: Pick<EventLog, 'backup'>
  readonly history: Pick<OccurrenceStorage, 'backup'>
  readonly sealer: Sealer
}

const configName = 'config.json'
const eventLogName = 'events.sqlite'
const historyName = 'history.sqlite'

/** @param keyIsGiven whether the data key came from the environment: a key file, if there is one, is not the key. */
export function backupSources(
  folder: SourceFiles,
  takeSnapshot: TakeSnapshot,
  keyIsGiven: boolean,
): BackupSources {
  return {
    folder: folder.path,
    async size() {
      const files = [folder.eventLogFile, folder.historyFile].flatMap(file => [file, `${file}-wal`])
      const found = await Promise.all(files.map(file => ifThere(stat(file))))
      return found.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
    },
    async copyTo(place) {
      await takeSnapshot(place)
      if (!keyIsGiven) await ifThere(copyFile(folder.keyFile, join(place, 'secret.key')))
      await ifThere(copyFile(folder.adminTokenFile, join(place, 'admin-token')))
    },
  }
}

/** Returns the snapshot of a data folder that this process holds while no service runs on it. */
export function snapshotOfFolder(folder: SourceFiles): TakeSnapshot {
  return async place => {
    await writePrivately(join(place, configName), await readFile(folder.configFile, 'utf8'))
    await copyDatabase('event log', folder.eventLogFile, join(place, eventLogName))
    await copyDatabase('history', folder.historyFile, join(place, historyName))
  }
}

async function copyDatabase(what: string, from: string, to: string): Promise<void> {
  if ((await ifThere(stat(from))) === null) return
  await backUp(from, to).catch(cause => {
    const detail = `The ${what} ${from} cannot be copied: ${messageOf(cause)}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  })
}

/**
 * Returns the snapshot of a service that goes on: neither events nor changes wait for it.
 *
 * The log is copied first and the configuration taken last, so that whatever has stored an event by then is in
 * the configuration: a connection that is created meanwhile is there without events. The other way round its
 * events would be there without it, where nobody could see them and no retention would ever delete them. The
 * same would be left of a connection that is deleted meanwhile, so its events are cleared in the copy as well; what
 * the history has of it is deleted by the service that starts on the copy.
 */
export function snapshotOfService({ config, events, history, sealer }: OpenStores): TakeSnapshot {
  return async place => {
    const eventLogCopy = join(place, eventLogName)
    const deleted = new Set<string>()
    const stop = config.onChange((next, previous) => {
      for (const connectionId of goneConnectionIds(next, previous)) deleted.add(connectionId)
    })
    try {
      await events.backup(eventLogCopy)
      await history.backup(join(place, historyName))
    } finally {
      stop()
    }
    // In the same turn as the end of `deleted`: no change comes in between.
    const content = toFile(config.snapshot(), sealer)
    await writePrivately(join(place, configName), `${JSON.stringify(content, null, 2)}\n`)
    if (deleted.size > 0) await clear(eventLogCopy, deleted)
  }
}

async function clear(eventLogFile: string, connectionIds: Iterable<string>): Promise<void> {
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
