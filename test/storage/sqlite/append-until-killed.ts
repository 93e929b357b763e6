/** `append-until-killed.ts <file>`: appends without end and prints the ids of events as soon as they are durable. */
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { eventMaker } from '../event-log-events.ts'

const log = await openSqliteEventLog({ file: process.argv[2]! })
const make = eventMaker()

async function produce(): Promise<never> {
  for (;;) {
    const event = make()
    await log.append(event)
    process.stdout.write(`${event.eventId}\n`)
  }
}

await Promise.all(Array.from({ length: 32 }, produce))
