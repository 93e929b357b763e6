/**
 * Measures what an event costs a database whose workflows only decide: processor time of its server and write-ahead log,
 * with none, one and 50 workflows, and how long a page of its runs takes. Then how much longer questions take with 100
 * times as many stored events. Targets: see `targets`.
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

export type NodesFanOutBench = {
  readonly costs: Readonly<Record<string, Cost>>
  readonly growth: Readonly<Record<string, number>>
}
type Cost = { readonly cpuMs: number; readonly walBytes: number; readonly pageMs: number }

const targets: Readonly<Record<string, string>> = {
  '1 workflow': 'at most 0.2 ms',
  '50 workflows': 'at most 0.6 ms and 3 KB',
}

export async function run({ events = 4000, rounds = 3, stored = 1_000_000 } = {}): Promise<NodesFanOutBench> {
  return withPostgres(async database => ({
    costs: await costsOf(database, events, rounds),
    growth: await growthOf(database, stored),
  }))
}

type Database = Parameters<Parameters<typeof withPostgres>[0]>[0]

async function costsOf(
  { pool, openEmpty }: Database,
  events: number,
  rounds: number,
): Promise<NodesFanOutBench['costs']> {
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
}

/** Returns how many times as long each question takes with all stored fan-outs as with 1 % of them. */
async function growthOf({ pool, openEmpty }: Database, stored: number): Promise<NodesFanOutBench['growth']> {
  const log = await openEmpty()
  const times: Record<string, number>[] = []
  for (const rows of [stored / 100, stored]) {
    await fill(pool, rows)
    const took: Record<string, number> = {}
    for (const [name, ask] of Object.entries(questions(log.runs))) {
      const tries: number[] = []
      for (let n = 0; n < 15; n++) {
        const began = performance.now()
        await ask()
        tries.push(performance.now() - began)
      }
      took[name] = median(tries)
    }
    times.push(took)
  }
  await log.close()
  const [few = {}, many = {}] = times
  const growth: Record<string, number> = {}
  for (const [name, ms] of Object.entries(many)) {
    growth[name] = ms / (few[name] ?? Number.NaN)
    console.log(
      `${name.padEnd(24)} ${few[name]?.toFixed(1)} ms, then ${ms.toFixed(1)} ms   target: at most 3 times`,
    )
  }
  return growth
}

const questions = (runs: RunStore): Readonly<Record<string, () => Promise<unknown>>> => ({
  'the newest': () => runs.list({ limit: 50 }),
  'of a workflow': () => runs.list({ limit: 50, workflowIds: ['wf_1_7'] }),
  'of a workspace': () => runs.list({ limit: 50, workspaceId: 'ws_1' }),
  'failed of a workflow': () => runs.list({ limit: 50, workflowIds: ['wf_1_7'], state: 'failed' }),
  waiting: () => runs.list({ limit: 50, state: 'waiting' }),
  'a text that is nowhere': () => runs.list({ limit: 50, text: 'nothing' }),
  'figures of a workflow': () => runs.figures(['wf_1_7'], Date.now()),
  'steps of a workflow': () => runs.stepFigures('wf_1_7'),
  'counts of a workflow': () => runs.countEnded({ workflowIds: ['wf_1_7'] }),
  'counts of lanes': () => runs.laneCounts(),
})

/** Stores events, 10,000 of each list of 50 workflows. */
async function fill(pool: Pool, rows: number): Promise<void> {
  const [now, lists] = [Date.now(), Math.max(1, rows / 10_000)]
  await pool.query('TRUNCATE fan_out, run_list RESTART IDENTITY')
  await pool.query(
    `INSERT INTO run_list (digest, workspace, workflows, used_at)
      SELECT l::text, 'ws_' || l % 10, ARRAY(SELECT 'wf_' || l || '_' || n FROM generate_series(0, 49) AS n), $1
      FROM generate_series(1, $2::int) AS l`,
    [now, lists],
  )
  for (let from = 1; from <= rows; from += 20_000)
    await pool.query(
      `INSERT INTO fan_out (id, list, runs, event, queued_at, connection, attempt, started_at, ended_at, steps, summary, data)
        SELECT at * 1024, 1 + n % $2::int, 50, at * 1024 - 1024, at, 'conn_1', 1, at, at,
          '[[["branch","branch","{}","{}"]]' || repeat(',0', 49) || ']', '{"eventName":"a"}', repeat('x', 300)
        FROM generate_series($3::int, $4::int) AS n, LATERAL (SELECT $1::bigint - ($5::bigint - n) * 20 AS at) AS t`,
      [now, lists, from, Math.min(rows, from + 19_999), rows],
    )
  await pool.query('VACUUM (ANALYZE) fan_out')
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
      await runs.endPending(
        claimed.map(run => ({ ...run, startedAt: run.startedAt ?? 0, ended: decide(run) })),
      )
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
    bodyText: JSON.stringify({
      event: 'order.created',
      data: { orderId: seq, note: 'lorem ipsum dolor '.repeat(10) },
    }),
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
    {
      ...step,
      path: 'branch',
      type: 'branch',
      input: '{"cases":[{"value":"order.created"}]}',
      output: '{"case":null}',
    },
    { ...step, path: 'stop', type: 'stop', input: '{"outcome":"succeeded"}', output: '{}' },
  ]
  return { state: 'succeeded', endedAt: at, error: null, discard: false, steps }
}

if (import.meta.main) await run()
