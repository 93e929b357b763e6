/**
 * 1,000 workflows that take the same events: events a second against the same service without workflows, honest events
 * while the runs are worked off, runs a second, and each run exactly once over kill -9.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import {
  load,
  newFolder,
  type RunningService,
  removeFolder,
  startProgram,
  startService,
} from './support/processes.ts'
import { sendUntilKilled } from './support/send-until-killed.ts'
import { median, spread } from './support/statistics.ts'

const branch = {
  ...{ key: 'branch', type: 'branch' },
  cases: [{ when: { value: '{{eventName}}', operator: 'equals', operand: 'never' }, steps: [] }],
}
const stop = { key: 'stop', type: 'stop', outcome: 'succeeded' }

export type FanOutBench = {
  readonly eventsRatio: number
  readonly perSecond: number
  readonly refused: number
  readonly runsPerSecond: number
  readonly p99Ratio: number
  readonly lost: number
  readonly doubled: number
}

export async function run({
  workflows = 1000,
  rounds = 3,
  requests = 1000,
  kills = 3,
} = {}): Promise<FanOutBench> {
  const [alone, fanned] = [await startService(), await startService()]
  const common = { warmup: 16, bodyBytes: 220 }
  const target = ({ inboundUrl: url, secret }: RunningService) => ({ url, secret })
  try {
    await subscribe(fanned, workflows)
    const ratios: number[] = []
    const rates: number[] = []
    let refused = 0
    for (let round = 0; round < rounds; round++) {
      const without = await load({ ...common, ...target(alone), connections: 8, requests: 5 * requests })
      const withRuns = await load({ ...common, ...target(fanned), connections: 8, requests })
      const many = await load({ ...common, ...target(fanned), connections: 32, requests })
      ratios.push(withRuns.perSecond / without.perSecond)
      rates.push(withRuns.perSecond)
      refused += withRuns.refused + many.refused
    }
    console.log(`events a second, 8 connections      ${spread(rates, 0)}   target: at least 300`)
    console.log(`events with ${workflows} workflows to none  ${spread(ratios)}`)
    console.log(`events answered 503                 ${refused}   target: 0`)

    const ended = () => endedRuns(fanned)
    const [before, begun] = [await ended(), performance.now()]
    await delay(10_000)
    const runsPerSecond = ((await ended()) - before) / ((performance.now() - begun) / 1000)
    console.log(`runs a second of the backlog        ${runsPerSecond.toFixed(0)}`)

    const quiet = await honest(target(alone))
    const busy = await honest(target(fanned))
    const p99Ratio = busy.p99 / quiet.p99
    console.log(
      `honest events, p99 in ms            ${busy.p99.toFixed(1)} while runs are worked off, ${quiet.p99.toFixed(1)} alone`,
    )
    const { lost, doubled } = await exactlyOnce(workflows, kills)
    return {
      ...{ eventsRatio: median(ratios), perSecond: median(rates), refused },
      ...{ runsPerSecond, p99Ratio, lost, doubled },
    }
  } finally {
    for (const service of [alone, fanned]) {
      await service.stop()
      removeFolder(service.folder)
    }
  }
}

async function subscribe(service: RunningService, workflows: number): Promise<void> {
  for (let index = 0; index < workflows; index++)
    await service.call('POST', '/workflows', {
      ...{ name: `Fan-out ${index}`, steps: [branch, stop] },
      trigger: { type: 'external.event', eventName: 'order.*' },
    })
}

const Counts = z.object({ succeeded: z.int() })
const endedRuns = async (service: RunningService) =>
  Counts.parse(await service.call('GET', '/runs/counts')).succeeded

const Steady = z.object({ p50: z.number(), p99: z.number() })
async function honest(target: { url: string; secret: string }) {
  const options = { ...target, perSecond: 20, seconds: 10, connections: 4 }
  const program = await startProgram(['test/bench/support/steady.ts', JSON.stringify(options)], Steady)
  return program.line
}

/** Kills the service again and again, lets it end all runs, and counts the runs of each event that was answered 200. */
async function exactlyOnce(workflows: number, kills: number): Promise<Pick<FanOutBench, 'lost' | 'doubled'>> {
  const folder = newFolder()
  const acknowledged = new Set<string>()
  try {
    for (let round = 0; round < kills; round++) {
      const service = await startService(folder)
      if (round === 0) await subscribe(service, workflows)
      await sendUntilKilled(
        service,
        { senders: 8, prefix: `${round}`, answers: 40, eventName: 'order.killed' },
        acknowledged,
      )
    }
    const service = await startService(folder)
    while (!(await isDrained(service))) await delay(100)
    await service.stop()
    const database = new DatabaseSync(join(folder, 'events.sqlite'), { readOnly: true })
    const rows = database
      .prepare(
        `SELECT events.body ->> '$.data.id' AS id, count(*) AS runs, count(DISTINCT workflow) AS workflows
         FROM events LEFT JOIN runs ON runs.event = events.seq GROUP BY events.seq`,
      )
      .all()
    database.close()
    const found = new Map(rows.map(row => [String(row.id), row]))
    const lost = [...acknowledged].filter(id => found.get(id)?.workflows !== workflows).length
    const doubled = rows.filter(row => row.runs !== row.workflows).length
    console.log(
      `${kills} × kill -9   ${acknowledged.size} events answered 200, ${lost} without all their runs, ${doubled} with a run twice`,
    )
    return { lost, doubled }
  } finally {
    removeFolder(folder)
  }
}

const Page = z.object({ runs: z.array(z.unknown()) })
async function isDrained(service: RunningService): Promise<boolean> {
  for (const status of ['queued', 'running', 'waiting'])
    if (Page.parse(await service.call('GET', `/runs?limit=1&status=${status}`)).runs.length > 0) return false
  return true
}

if (import.meta.main) await run()
