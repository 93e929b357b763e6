import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openSqliteEventLog,
  type SqliteEventLogOptions,
} from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { LaneLimit } from '#main/storage/runs.ts'
import { unhurried } from '../../support/patience.ts'

/** A log in a new temporary folder, whose clock may be set without a wait. */
export async function openTemporary(given: Omit<SqliteEventLogOptions, 'file'> = {}) {
  const options = { clockSettleMs: 0, ...unhurried, ...given }
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'))
  const file = join(folder, 'events.sqlite')
  let log = await openSqliteEventLog({ ...options, file })
  return {
    file,
    log,
    second: async () => log,
    setLane: (lane: string, limit: LaneLimit) => log.setLanes([[lane, limit]]),
    reopen: async () => {
      await log.close()
      log = await openSqliteEventLog({ ...options, file })
      return log
    },
    dispose: async () => {
      await log.close()
      await rm(folder, { recursive: true })
    },
  }
}
