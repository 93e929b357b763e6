import { writePrivately } from '#main/lib/file-system.ts'
import { goneConnectionIds } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import { toFile } from '#main/storage/local/config-file.ts'
import type { Sealer } from '#main/storage/local/secrets.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { OccurrenceStorage } from '#main/storage/occurrence-storage.ts'
import type { TakeSnapshot } from './snapshot.ts'

export type SnapshotParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly log: Pick<EventLog, 'backup'>
  readonly history: Pick<OccurrenceStorage, 'backup'>
  readonly sealer: Sealer
}

/**
 * A snapshot of a service that goes on: neither events nor changes wait for it.
 *
 * The log is copied first and the configuration taken last, so that whatever has stored an event by then is in
 * the configuration: a connection that is created meanwhile is there without events. The other way round its
 * events would be there without it, where nobody could see them and no retention would ever delete them. The
 * same would be left of a connection that is deleted meanwhile, so its events are cleared in the copy as well; what
 * the history has of it is deleted by the service that starts on the copy.
 */
export function snapshotOfService({ store, log, history, sealer }: SnapshotParts): TakeSnapshot {
  return async ({ configFile, eventLogFile, historyFile }) => {
    const deleted = new Set<string>()
    const stop = store.onChange((next, previous) => {
      for (const connectionId of goneConnectionIds(next, previous)) deleted.add(connectionId)
    })
    try {
      await log.backup(eventLogFile)
      await history.backup(historyFile)
    } finally {
      stop()
    }
    // In the same turn as the end of `deleted`: no change comes in between.
    const config = toFile(store.snapshot(), sealer)
    await writePrivately(configFile, `${JSON.stringify(config, null, 2)}\n`)
    if (deleted.size > 0) await clear(eventLogFile, deleted)
  }
}

async function clear(eventLogFile: string, connectionIds: Iterable<string>): Promise<void> {
  const copy = await openSqliteEventLog({ file: eventLogFile })
  try {
    for (const connectionId of connectionIds) await copy.clear(connectionId)
  } finally {
    await copy.close()
  }
}
