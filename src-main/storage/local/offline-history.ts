import { existsSync } from 'node:fs'
import type { OfflineHistory, OpenHistory } from '../storage.ts'
import { openForReading, versionOf } from './sqlite/own-database.ts'
import { historySchema } from './sqlite/schemas.ts'
import { openSqliteHistory } from './sqlite/sqlite-history.ts'

/** Returns what opens the history of a data folder that this process holds and no service runs on. */
export function offlineHistory(file: string): OpenHistory {
  return async (bounds, onProblem): Promise<OfflineHistory> => {
    requireSameVersion(file)
    const problem = (text: string) => onProblem(text)
    const history = await openSqliteHistory({
      ...{ file, bounds, clock: Date.now, onNotice: problem, onProblem: error => problem(error.message) },
    })
    return { storage: history, nextNumber: history.nextNumber }
  }
}

/** @throws Error: a service of an earlier version could not use the file any more once it has been migrated. */
function requireSameVersion(file: string): void {
  if (!existsSync(file)) return
  const database = openForReading(file)
  try {
    if (versionOf(database) === historySchema.migrations.length) return
  } finally {
    database.close()
  }
  throw new Error('another version of this program wrote the history')
}
