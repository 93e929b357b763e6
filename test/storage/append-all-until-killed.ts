/**
 * `append-all-until-killed.ts <file or URL>`: appends lists of events with a run each to SQLite or PostgreSQL, without end.
 * Prints the id of the last event of a list as soon as it is durable.
 */
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { listsOn } from './append-lists.ts'

const [, , database = ''] = process.argv

function openLog() {
  if (!database.startsWith('postgres:')) return openSqliteEventLog({ file: database })
  const connect = connectorTo(database)
  const given = { clock: Date.now, onError: (error: unknown) => console.error(error), slot: () => 1 }
  return openPostgresEvents({ ...given, connect, pool: new Pool(connect, 3) })
}

const produce = listsOn(await openLog(), eventId => process.stdout.write(`${eventId}\n`))
await Promise.all(Array.from({ length: 8 }, produce))
