/**
 * `append-all-until-killed.ts <file>`: appends lists of 20 events with a run each, without end. The text of an event names
 * its list. Prints the id of the last event of a list as soon as it is durable.
 */
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { eventMaker } from '../event-log-events.ts'

const log = await openSqliteEventLog({ file: process.argv[2]! })
const make = eventMaker()
let lists = 0

async function produce(): Promise<never> {
  for (;;) {
    const bodyText = JSON.stringify({ list: lists++ })
    const all = Array.from({ length: 20 }, () => {
      const event = make({ bodyText })
      const run = { workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'lane' }
      return { event, runs: [{ ...run, queuedAt: event.receivedAt, summary: '{}', data: bodyText }] }
    })
    await log.appendAll(all, true)
    process.stdout.write(`${all.at(-1)?.event.eventId}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, produce))
