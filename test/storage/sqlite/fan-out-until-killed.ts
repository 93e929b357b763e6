/**
 * `fan-out-until-killed.ts <file>`: appends events that start 20 workflows, and claims and ends their runs, without end.
 * Prints the ids of events, and of ended runs, as soon as they are durable.
 */
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { eventMaker } from '../event-log-events.ts'

const log = await openSqliteEventLog({ file: process.argv[2]! })
const make = eventMaker()
const workflowIds = Array.from({ length: 20 }, (_, index) => `wf_${index}`)
for (const lane of workflowIds) await log.setLanes([[lane, 3]])

async function produce(): Promise<never> {
  for (;;) {
    const event = make()
    const { receivedAt: queuedAt, bodyText: data } = event
    const shared = { workspaceId: 'ws_a', connectionId: 'conn_a', queuedAt, summary: '{}', data }
    await log.append(event, [{ ...shared, workflowIds }])
    process.stdout.write(`${event.eventId}\n`)
  }
}

/** Ends every other batch at once, and executes the runs of the others. */
async function work(): Promise<never> {
  for (let batch = 0; ; batch++) {
    const { runs: claimed } = await log.runs.claim(30, 60_000)
    const end = { state: 'succeeded', endedAt: Date.now(), error: null, discard: false } as const
    const print = (runId: string) => process.stdout.write(`${runId}\n`)
    if (batch % 2 === 0) {
      const pending = claimed.map(run => ({
        ...run,
        startedAt: run.startedAt ?? 0,
        ended: { ...end, steps: [] },
      }))
      const kept = await log.runs.endPending(pending)
      for (const [index, { runId }] of claimed.entries()) if (kept[index] === true) print(runId)
    } else
      await Promise.all(
        claimed.map(async run => {
          if ((await log.runs.record(run, [])) && (await log.runs.finish(run, end))) print(run.runId)
        }),
      )
  }
}

await Promise.all([...Array.from({ length: 4 }, produce), ...Array.from({ length: 2 }, work)])
