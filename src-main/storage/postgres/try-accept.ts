import { randomBytes } from 'node:crypto'
import type { LoggedEvent } from '../event-log.ts'
import type { NewRunRow } from '../rows/run-rows.ts'
import { acceptStatement } from './accept-batch.ts'
import type { Pool } from './pool.ts'

/** Shorter than the time that events may wait for a lock. */
const lockTimeout = '500ms'
/** So large that the table's free pages are rarely enough. It does not compress. */
const body = randomBytes(12 * 1024).toString('base64')
/** No connection has this number. */
const noConnection = 0

/**
 * Stores an event with a run, as a batch does, and takes both back.
 *
 * @param slot of this node: two nodes that try the same rows would wait for each other.
 * @throws ServiceError `storage_unavailable`.
 */
export function tryAccept(pool: Pool, slot: number): Promise<void> {
  // Numbers of events and runs are positive.
  const number = -1 - slot
  const event: LoggedEvent = {
    ...{ eventId: '', connectionId: '', eventName: '', bodyText: body, headerLines: '' },
    ...{ receivedAt: 0, repeat: false, replayOf: null },
  }
  const run: NewRunRow = {
    ...{ id: number, event: number, workflowId: '', workspaceId: '', connectionId: '', lane: '' },
    ...{ queuedAt: 0, summary: '', data: body },
  }
  const { statement, values } = acceptStatement(
    [{ seq: number, event, runs: [run], together: [], duplicateOf: null }],
    () => noConnection,
    Number.MAX_SAFE_INTEGER,
  )
  return pool.use(async connection => {
    await connection.query('BEGIN')
    try {
      await connection.query(`SET LOCAL lock_timeout = '${lockTimeout}'`)
      await connection.query(statement, values)
    } finally {
      if (!connection.isBroken) await connection.query('ROLLBACK').catch(() => connection.end())
    }
  })
}
