import { stat } from 'node:fs/promises'
import { ifThere } from '#main/lib/file-system.ts'
import type { StorageGauges } from '../gauges.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { suffixes } from './sqlite/files.ts'

/** Creates the gauges of a data folder. */
export function createGauges(
  paths: Pick<DataFolderPaths, 'eventLogFile' | 'historyFile' | 'knowledgeFile'>,
  eventsWaiting: () => number,
): StorageGauges {
  return {
    eventsWaiting,
    connections: () => null,
    async bytes() {
      const [events, history, knowledge] = await Promise.all(
        [paths.eventLogFile, paths.historyFile, paths.knowledgeFile].map(bytesOf),
      )
      return { events: events ?? 0, history: history ?? 0, knowledge: knowledge ?? 0 }
    },
  }
}

/** Returns the size of a database with SQLite's files beside it. */
async function bytesOf(file: string): Promise<number> {
  const sizes = await Promise.all(
    suffixes.map(async suffix => (await ifThere(stat(file + suffix)))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
