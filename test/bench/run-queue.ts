/**
 * The queue of runs at its limits: claims while a million runs wait, the cost of an event's run with a million runs of
 * history, and how often an idle runner wakes and how soon it begins what is due.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventIdOf, sequenceOfTime } from '#main/lib/sequence.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import type { NewRun, RunEnd } from '#main/storage/runs.ts'
import { createRunner } from '#main/workflows/runner.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { median, percentile, spread } from './support/statistics.ts'

type Log = Awaited<ReturnType<typeof openSqliteEventLog>>

export type RunQueueBench = {
  readonly claimP99Ms: number
  readonly historyRatio: number
  readonly wakesPerSecond: number
  readonly startMs: number
}

export async function run({
  waiting = 1_000_000,
  history = 1_000_000,
  claims = 1000,
} = {}): Promise<RunQueueBench> {
  const claimP99Ms = await withLogs(1, ([log]) => claimsAmong(log!, waiting, claims))
  const historyRatio = await withLogs(2, ([small, large]) => costOfHistory(small!, large!, history))
  const { wakesPerSecond, startMs } = await withLogs(1, ([log]) => idleAndStart(log!))
  return { claimP99Ms, historyRatio, wakesPerSecond, startMs }
}

async function withLogs<Result>(count: number, use: (logs: Log[]) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'run-queue-'))
  const logs: Log[] = []
  try {
    for (let index = 0; index < count; index++)
      logs.push(
        await openSqliteEventLog({
          file: join(folder, `${index}.sqlite`),
          mostRunsWaiting: 2_000_000,
          onError: error => console.error(error),
        }),
      )
    return await use(logs)
  } finally {
    await Promise.all(logs.map(log => log.close()))
    await rm(folder, { recursive: true })
  }
}

function newRun(workflowId: string, changes: Partial<NewRun> = {}): NewRun {
  return {
    ...{ workflowId, workspaceId: 'default', connectionId: 'conn_1', lane: workflowId, queuedAt: Date.now() },
    summary: '{"eventName":"order.created"}',
    data: '{"event":"order.created","data":{"order_id":"ORD-1","total":129.9}}',
    ...changes,
  }
}

async function fill({ runs }: Log, count: number, make: (index: number) => NewRun): Promise<void> {
  const chunk = 5000
  for (let from = 0; from < count; from += chunk)
    await runs.start(
      Array.from({ length: Math.min(chunk, count - from) }, (_, index) => make(from + index)),
      null,
    )
}

const succeeded = (): RunEnd => ({ state: 'succeeded', endedAt: Date.now(), error: null, discard: false })

/** Nine of ten runs wait in one lane, the others in fifty. Claims and ends 25 runs at a time. */
async function claimsAmong(log: Log, waiting: number, claims: number): Promise<number> {
  const { runs } = log
  const lanes = ['busy', ...Array.from({ length: 50 }, (_, index) => `lane_${index}`)]
  await log.setLanes(lanes.map(lane => [lane, 10]))
  await fill(log, waiting, index => newRun(index % 10 < 9 ? 'busy' : `lane_${index % 50}`))
  const times: number[] = []
  for (let round = 0; round < claims; round++) {
    const begun = performance.now()
    const { runs: claimed } = await runs.claim(25, 30_000)
    times.push(performance.now() - begun)
    if (claimed.length !== 25) throw new Error(`${claimed.length} runs were claimed.`)
    await Promise.all(claimed.map(one => runs.finish(one, succeeded())))
  }
  const p99 = percentile(times, 0.99)
  console.log(
    `claim among ${waiting} waiting runs, ms   ${median(times).toFixed(2)}, p99 ${p99.toFixed(2)}   target: at most 10`,
  )
  return p99
}

/** Processor time of events with a run, on a log with many ended runs against one with 100. */
async function costOfHistory(small: Log, large: Log, history: number): Promise<number> {
  const workflows = 100
  const idOf = (index: number) => `wf_${index % workflows}`
  const ended = { ...succeeded(), steps: [] }
  await fill(small, 100, index => newRun(idOf(index), { ended }))
  await fill(large, history, index => newRun(idOf(index), { ended }))
  const events = 2000
  let seq = sequenceOfTime(Date.now())
  const store = async (log: Log) => {
    const before = process.cpuUsage()
    for (let from = 0; from < events; from += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const event = {
            ...{ eventId: eventIdOf(++seq), connectionId: 'conn_1' },
            ...{ eventName: 'order.created', bodyText: '{"event":"order.created"}', headerLines: '' },
            ...{ receivedAt: Date.now(), repeat: false, replayOf: null },
          }
          return log.append(event, [newRun(idOf(from + index))])
        }),
      )
    const { user, system } = process.cpuUsage(before)
    return (user + system) / events
  }
  const ratios: number[] = []
  for (let round = 0; round < 9; round++) {
    const few = await store(small)
    ratios.push((await store(large)) / few)
  }
  console.log(
    `an event with its run, ${history} runs of history to 100   ${spread(ratios)}   target: at most 1.25`,
  )
  return median(ratios)
}

async function idleAndStart({ runs }: Log): Promise<Pick<RunQueueBench, 'wakesPerSecond' | 'startMs'>> {
  const at = new Date().toISOString()
  const workflow = Workflow.parse({
    ...{ workflowId: 'wf_1', workspaceId: 'default', name: 'W', createdAt: at, updatedAt: at },
    ...{ trigger: { type: 'external.event' }, steps: [{ key: 'tell', type: 'notify', message: 'm' }] },
  })
  let wakes = 0
  let begun = Promise.withResolvers<number>()
  const runner = createRunner({
    runs,
    sealing: createSealer(Buffer.alloc(32)),
    workflowOf: () => workflow,
    payloadOf: () => ({ eventName: 'order.created', connectionId: 'conn_1' }),
    variable: () => undefined,
    decide: () => null,
    async perform() {
      begun.resolve(Date.now())
      return { ok: true, output: null, callId: null }
    },
    discards: () => false,
    modeOf: () => 'normal',
    onEnded: () => {},
    onFailed: () => {},
    onError: error => console.error(error),
    clock: Date.now,
    random: () => 0.5,
    after(delayMs, callback) {
      const timer = setTimeout(() => {
        wakes++
        callback()
      }, delayMs)
      return () => clearTimeout(timer)
    },
  })
  try {
    runner.wake()
    const seconds = 5
    await delay(seconds * 1000)
    const wakesPerSecond = wakes / seconds
    console.log(`wakes of an idle runner a second   ${wakesPerSecond.toFixed(1)}   target: at most 1`)

    const delays: number[] = []
    for (let index = 0; index < 40; index++) {
      begun = Promise.withResolvers()
      const dueAt = Date.now() + (index % 2) * 50
      await runs.start([newRun('wf_1', { dueAt })], null)
      const storedAt = Date.now()
      runner.wake()
      delays.push((await begun.promise) - Math.max(dueAt, storedAt))
    }
    console.log(`until a due run begins, ms   ${spread(delays, 0)}   target: at most 20`)
    return { wakesPerSecond, startMs: median(delays) }
  } finally {
    await runner.stop()
  }
}

if (import.meta.main) await run()
