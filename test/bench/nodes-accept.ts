/** How many events PostgreSQL and SQLite accept, alone and with a run, from 256 senders who wait for each. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventIdOf } from '#main/lib/sequence.ts'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { NewRun, NewRuns } from '#main/storage/runs.ts'
import { withPostgres } from './support/postgres-events.ts'
import { median } from './support/statistics.ts'

const senders = 256

/** Ratios to SQLite. */
export type NodesAcceptBench = {
  readonly event: number
  readonly withRun: number
  readonly withEndedRun: number
}

type Log = Pick<EventLog, 'append'> & { nextEvent(): number }

export async function run({ rounds = 3, seconds = 3 } = {}): Promise<NodesAcceptBench> {
  return withPostgres(async ({ openEmpty }) => {
    const ratioOf = async (title: string, target: string, runsOf: (event: LoggedEvent) => NewRuns) => {
      const ratios: number[] = []
      for (let round = 0; round < rounds; round++) {
        const folder = await mkdtemp(join(tmpdir(), 'nodes-accept-'))
        const sqlite = await openSqliteEventLog({
          file: join(folder, 'events.sqlite'),
          mostRunsWaiting: 100_000_000,
        })
        const local = await rateOf(sqlite, runsOf, seconds)
        await sqlite.close()
        await rm(folder, { recursive: true })
        const postgres = await openEmpty()
        const shared = await rateOf(postgres, runsOf, seconds)
        await postgres.close()
        console.log(`${title}   SQLite ${Math.round(local)}/s   PostgreSQL ${Math.round(shared)}/s`)
        ratios.push(shared / local)
      }
      console.log(`${title}   ratio ${median(ratios).toFixed(2)}   target: at least ${target}`)
      return median(ratios)
    }
    return {
      event: await ratioOf('an event', '0.7', () => []),
      withRun: await ratioOf('with a run', '0.6', event => [newRun(event)]),
      withEndedRun: await ratioOf('with a run that has ended', '0.6', event => [
        { ...newRun(event), ended: endOf(event) },
      ]),
    }
  })
}

async function rateOf(log: Log, runsOf: (event: LoggedEvent) => NewRuns, seconds: number): Promise<number> {
  const began = performance.now()
  const until = began + seconds * 1000
  let count = 0
  const send = async () => {
    for (; performance.now() < until; count++) {
      const event = newEvent(log.nextEvent())
      await log.append(event, runsOf(event))
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
  return (count / (performance.now() - began)) * 1000
}

const headerLines = [
  'Content-Type: application/json',
  'User-Agent: shop/4.2.1',
  'Host: connect.example.com',
].join('\n')
const note = 'lorem ipsum dolor sit amet, Größe 46 '.repeat(25)

function newEvent(seq: number): LoggedEvent {
  return {
    ...{ eventId: eventIdOf(seq), connectionId: `conn_${seq % 20}`, eventName: 'order.created', headerLines },
    bodyText: JSON.stringify({ event: 'order.created', data: { orderId: seq, note } }),
    ...{ receivedAt: Date.now(), repeat: false, replayOf: null },
  }
}

function newRun({ connectionId, receivedAt, bodyText }: LoggedEvent): NewRun {
  return {
    ...{ workflowId: 'wf_1', workspaceId: 'default', connectionId, lane: 'wf_1', queuedAt: receivedAt },
    ...{ summary: '{"eventName":"order.created"}', data: bodyText },
  }
}

function endOf({ receivedAt: at }: LoggedEvent) {
  const step = {
    type: 'branch',
    attempt: 1,
    startedAt: at,
    endedAt: at,
    error: null,
    callId: null,
    absent: [],
  }
  const steps = ['a', 'b', 'c'].map(path => ({ ...step, path, input: '{"total":500}', output: '{"case":1}' }))
  return { state: 'succeeded', endedAt: at, error: null, discard: false, steps } as const
}

if (import.meta.main) await run()
