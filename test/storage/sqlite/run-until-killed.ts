/**
 * `run-until-killed.ts <file>`: appends events with two runs each, and claims and finishes runs, without end. Prints the
 * ids of events, and of finished runs, as soon as they are durable.
 */
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { eventMaker } from '../event-log-events.ts'

const log = await openSqliteEventLog({ file: process.argv[2]! })
const make = eventMaker()
await log.setLanes([['lane', 100]])

async function produce(): Promise<never> {
  for (;;) {
    const event = make()
    const run = { workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'lane' }
    const started = { ...run, queuedAt: event.receivedAt, summary: '{}', data: '{}' }
    await log.append(event, [started, started])
    process.stdout.write(`${event.eventId}\n`)
  }
}

async function work(): Promise<never> {
  for (;;) {
    const { runs: claimed } = await log.runs.claim(10, 60_000)
    await Promise.all(
      claimed.map(async run => {
        const end = { state: 'succeeded', endedAt: Date.now(), error: null, discard: false } as const
        if (await log.runs.finish(run, end)) process.stdout.write(`${run.runId}\n`)
      }),
    )
  }
}

await Promise.all([...Array.from({ length: 16 }, produce), ...Array.from({ length: 2 }, work)])
