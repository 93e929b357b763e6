/**
 * `fan-out-until-killed.ts <URL>`: appends events that start 20 workflows, or have runs that were decided with them, and
 * claims and ends their runs, without end. Prints the ids of events, and of runs that were carried out, as soon as they are
 * durable.
 */
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { eventMaker } from '../event-log-events.ts'
import { workflowIds, workOn } from './fan-out-work.ts'

const connect = connectorTo(process.argv[2] ?? '')
const given = { clock: Date.now, onError: (error: unknown) => console.error(error), slot: () => 1 }
const log = await openPostgresEvents({ ...given, connect, pool: new Pool(connect, 4) })
await log.setLanes(workflowIds.map(lane => [lane, 3]))
const make = eventMaker()
const print = (id: string) => process.stdout.write(`${id}\n`)

async function produce(): Promise<never> {
  for (let n = 0; ; n++) {
    const event = make()
    const { receivedAt: queuedAt, bodyText: data } = event
    const shared = { workspaceId: 'ws_a', connectionId: 'conn_a', queuedAt, summary: '{}', data }
    const ended = { state: 'succeeded', endedAt: queuedAt, error: null, discard: false, steps: [] } as const
    const alone = workflowIds.map(workflowId => ({ ...shared, workflowId, lane: workflowId, ended }))
    await log.append(event, n % 3 === 0 ? alone : [{ ...shared, workflowIds }])
    print(event.eventId)
  }
}

async function work(): Promise<never> {
  for (;;) await workOn(log.runs, () => {}, print)
}

await Promise.all([...Array.from({ length: 4 }, produce), ...Array.from({ length: 2 }, work)])
