/**
 * What an event costs a database whose workflows only decide: processor time of its server and write-ahead log, with none,
 * one and 50 workflows, and how long a page of its runs takes. Targets: see `targets`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventIdOf } from '#main/lib/sequence.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { Pool } from '#main/storage/postgres/pool.ts'
import type { ClaimedRun, EndedRun, NewRuns, RunStore } from '#main/storage/runs.ts'
import { cpuSecondsOf } from './support/cpu-time.ts'
import { type PostgresLog, withPostgres } from './support/postgres-events.ts'
import { median } from './support/statistics.ts'

const senders = 32

export type NodesFanOutBench = Readonly<Record<string, Cost>>
type Cost = { readonly cpuMs: number; readonly walBytes: number; readonly pageMs: number }

const targets: Readonly<Record<string, string>> = {
  '1 workflow': 'at most 0.2 ms',
  '50 workflows': 'at most 0.6 ms and 3 KB',
}

export async function run({ events = 4000, rounds = 3 } = {}): Promise<NodesFanOutBench> {
  return withPostgres(async ({ pool, openEmpty }) => {
    const costs: Record<string, Cost> = {}
    for (const [name, runsOf] of Object.entries(cases)) {
      const all: Cost[] = []
      for (let round = 0; round < rounds; round++) {
        const log = await openEmpty()
        all.push(await costOf(log, pool, runsOf, events))
        await log.close()
      }
      const middle = (what: keyof Cost) => median(all.map(one => one[what]))
      costs[name] = { cpuMs: middle('cpuMs'), walBytes: middle('walBytes'), pageMs: middle('pageMs') }
      console.log(
        `${name.padEnd(14)} ${middle('cpuMs').toFixed(3)} ms of the server's CPU   ${(middle('walBytes') / 1024).toFixed(2)} KB of WAL   a page in ${middle('pageMs').toFixed(2)} ms   ${targets[name] ?? ''}`,
      )
    }
    return costs
  })
}

const workflowIds = Array.from({ length: 50 }, (_, index) => `wf_${String(index).padStart(20, '0')}`)

const cases: Readonly<Record<string, (event: LoggedEvent) => NewRuns>> = {
  'no workflow': () => [],
  '1 workflow': event => [
    { ...sharedOf(event), workflowId: 'wf_1', lane: 'wf_1', ended: endOf(event.receivedAt) },
  ],
  '50 workflows': event => [{ ...sharedOf(event), workflowIds }],
}

async function costOf(
  log: PostgresLog,
  pool: Pool,
  runsOf: (event: LoggedEvent) => NewRuns,
  events: number,
): Promise<Cost> {
  await log.setLanes(workflowIds.map(lane => [lane, 3] as const))
  await send(log, runsOf, events / 10)
  const [row] = await pool.query("SELECT current_setting('data_directory') AS folder")
  const [pid = ''] = readFileSync(join(String(row?.folder), 'postmaster.pid'), 'utf8').split('\n')
  await pool.query('CHECKPOINT')
  const before = { cpu: cpuSecondsOf(Number(pid)), wal: await walOf(pool) }
  const eventsSent = await send(log, runsOf, events)
  const [cpu, wal] = [cpuSecondsOf(Number(pid)) - before.cpu, (await walOf(pool)) - before.wal]
  const times: number[] = []
  for (const eventId of eventsSent.slice(-50)) {
    const began = performance.now()
    await log.runs.list({ limit: 50, eventId })
    times.push(performance.now() - began)
  }
  return { cpuMs: (cpu * 1000) / events, walBytes: wal / events, pageMs: median(times) }
}

async function walOf(pool: Pool): Promise<number> {
  const [row] = await pool.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes")
  return Number(row?.bytes)
}

/** Sends events, and decides their runs until none waits. */
async function send(
  log: PostgresLog,
  runsOf: (event: LoggedEvent) => NewRuns,
  events: number,
): Promise<string[]> {
  let isSending = true
  const deciding = decideAll(log.runs, () => isSending)
  const sent: string[] = []
  const sendSome = async () => {
    while (sent.length < events) {
      const event = newEvent(log.nextEvent())
      sent.push(event.eventId)
      await log.append(event, runsOf(event))
    }
  }
  await Promise.all(Array.from({ length: senders }, sendSome))
  isSending = false
  await deciding
  return sent
}

async function decideAll(runs: RunStore, isSending: () => boolean): Promise<void> {
  for (;;) {
    const wasSending = isSending()
    const { runs: claimed, nextDueAt } = await runs.claim(256, 10_000, decide)
    if (claimed.length > 0)
      await runs.endPending(claimed.map(run => ({ ...run, startedAt: run.startedAt ?? 0, ended: decide(run) })))
    else if (nextDueAt === null) {
      if (!wasSending && (await runs.laneCounts()).length === 0) return
      await new Promise(resolve => setTimeout(resolve, 2))
    }
  }
}

const decide = ({ startedAt }: ClaimedRun): EndedRun => endOf(startedAt ?? 0)

const headerLines = ['Content-Type: application/json', 'User-Agent: shop/4.2.1'].join('\n')

function newEvent(seq: number): LoggedEvent {
  return {
    ...{ eventId: eventIdOf(seq), connectionId: 'conn_1', eventName: 'order.created', headerLines },
    bodyText: JSON.stringify({ event: 'order.created', data: { orderId: seq, note: 'lorem ipsum dolor '.repeat(10) } }),
    ...{ receivedAt: Date.now(), repeat: false, replayOf: null },
  }
}

const sharedOf = ({ connectionId, receivedAt, bodyText }: LoggedEvent) => ({
  ...{ workspaceId: 'default', connectionId, queuedAt: receivedAt },
  ...{ summary: '{"eventName":"order.created"}', data: bodyText },
})

function endOf(at: number): EndedRun {
  const step = { attempt: 1, startedAt: at, endedAt: at, error: null, callId: null, absent: [] }
  const steps = [
    { ...step, path: 'branch', type: 'branch', input: '{"cases":[{"value":"order.created"}]}', output: '{"case":null}' },
    { ...step, path: 'stop', type: 'stop', input: '{"outcome":"succeeded"}', output: '{}' },
  ]
  return { state: 'succeeded', endedAt: at, error: null, discard: false, steps }
}

if (import.meta.main) await run()
