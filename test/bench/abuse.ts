/**
 * Measures how each attack affects honest senders: their p99 and their longest answer while it runs against those of quiet
 * rounds, in turn, and the service's resident set. The machine's cores are shared by service, senders and attacker, so a
 * third kind of round runs beside a process that burns as much processor time as the attacker did, without attacking.
 * Targets: p99 at most three times that of the fair round, the longest answer at most four times that of the quiet
 * rounds, below 400 MB, every honest event answered 200.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { attacks, type Target } from './support/attacks.ts'
import {
  adminToken,
  type RunningService,
  removeFolder,
  startProgram,
  startService,
} from './support/processes.ts'
import { median } from './support/statistics.ts'

const Steady = z.object({
  p50: z.number().nullable(),
  p99: z.number().nullable(),
  max: z.number().nullable(),
  answered: z.int(),
  refused: z.record(z.string(), z.int()),
})
type Steady = z.infer<typeof Steady>
const Ready = z.object({ ready: z.literal(true) })

const perSecond = 100
const ticksPerSecond = 100

export type AbuseResult = {
  readonly quietP99: number
  readonly fairP99: number
  readonly attackedP99: number
  readonly ratio: number
  /** Milliseconds of the longest answer in all rounds. */
  readonly quietLongest: number
  readonly attackedLongest: number
  readonly longestRatio: number
  readonly megabytes: number
  readonly unanswered: number
}

/** Seconds of processor time that a process has used, and its resident set in units of 10^6 bytes; Linux only. */
function usageOf(pid: number): { seconds: number; megabytes: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return {
    seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    megabytes: (Number(kilobytes) * 1024) / 1e6,
  }
}

/** Honest senders for so many seconds. */
async function sendSteadily({ inboundUrl, secret }: RunningService, seconds: number): Promise<Steady> {
  const options = { url: inboundUrl, secret, perSecond, seconds, connections: 8 }
  const { line } = await startProgram(['test/bench/support/steady.ts', JSON.stringify(options)], Steady)
  return line
}

/** The same beside another process. */
async function sendBeside(service: RunningService, seconds: number, other: object) {
  const beside = await startProgram(['test/bench/support/attacker.ts', JSON.stringify(other)], Ready)
  const pid = beside.process.pid ?? 0
  let megabytes = 0
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, usageOf(service.line.pid).megabytes)
  }, 50)
  try {
    const before = { seconds: usageOf(pid).seconds, at: performance.now() }
    const steady = await sendSteadily(service, seconds)
    const share = (usageOf(pid).seconds - before.seconds) / ((performance.now() - before.at) / 1000)
    return { steady, share, megabytes }
  } finally {
    clearInterval(timer)
    await beside.stop()
  }
}

const Counts = z.object({ queued: z.int(), running: z.int() })

/** Waits until no run of an attack is left, which the next rounds would measure. */
async function settled({ call }: RunningService): Promise<void> {
  for (;;) {
    const { queued, running } = Counts.parse(await call('GET', '/runs/counts'))
    if (queued + running === 0) return
    await delay(50)
  }
}

async function measure(name: string, rounds: number, seconds: number): Promise<AbuseResult> {
  const service = await startService()
  const { inboundUrl, secret, connectionId } = service
  const target: Target = {
    inboundUrl,
    secret,
    connectionId,
    adminToken,
    dashboardUrl: service.line.dashboardUrl,
  }
  const quiet: Steady[] = []
  const fair: Steady[] = []
  const attacked: Steady[] = []
  let megabytes = 0
  try {
    await sendSteadily(service, 1)
    for (let round = 0; round < rounds; round++) {
      quiet.push(await sendSteadily(service, seconds))
      const under = await sendBeside(service, seconds, { attack: name, target })
      attacked.push(under.steady)
      megabytes = Math.max(megabytes, under.megabytes)
      await settled(service)
      fair.push((await sendBeside(service, seconds, { burn: under.share })).steady)
    }
  } finally {
    await service.stop()
    removeFolder(service.folder)
  }
  const p99 = (of: readonly Steady[]) => median(of.map(one => one.p99 ?? Number.POSITIVE_INFINITY))
  const longest = (of: readonly Steady[]) => Math.max(...of.map(one => one.max ?? Number.POSITIVE_INFINITY))
  const all = [...quiet, ...fair, ...attacked]
  const unanswered = all.reduce((sum, one) => sum + Math.round(perSecond * seconds) - one.answered, 0)
  const reasons = [...new Set(all.flatMap(one => Object.keys(one.refused)))].join(', ')
  const result = {
    quietP99: p99(quiet),
    fairP99: p99(fair),
    attackedP99: p99(attacked),
    ratio: p99(attacked) / p99(fair),
    quietLongest: longest(quiet),
    attackedLongest: longest(attacked),
    longestRatio: longest(attacked) / longest(quiet),
    megabytes,
    unanswered,
  }
  console.log(
    `${name.padEnd(16)} p99 quiet ${result.quietP99.toFixed(1)}, fair ${result.fairP99.toFixed(1)}, attacked ${result.attackedP99.toFixed(1)} ms   ` +
      `ratio ${result.ratio.toFixed(2)} to fair, ${(result.attackedP99 / result.quietP99).toFixed(2)} to quiet   ` +
      `longest quiet ${result.quietLongest.toFixed(1)}, fair ${longest(fair).toFixed(1)}, attacked ${result.attackedLongest.toFixed(1)} ms, ` +
      `ratio ${result.longestRatio.toFixed(2)} to quiet   ` +
      `resident ${megabytes.toFixed(0)} MB   unanswered ${unanswered}${reasons === '' ? '' : ` (${reasons})`}`,
  )
  return result
}

export async function run({ rounds = 3, seconds = 3, names = Object.keys(attacks) } = {}) {
  const results: Record<string, AbuseResult> = {}
  for (const name of names) {
    console.log(`\n${attacks[name]?.title ?? name}`)
    results[name] = await measure(name, rounds, seconds)
  }
  console.log(
    '\ntargets          p99 at most 3.00 times fair, longest at most 4.00 times quiet, resident set below 400 MB, none unanswered',
  )
  return results
}

if (import.meta.main)
  await run({ names: process.argv.length > 2 ? process.argv.slice(2) : Object.keys(attacks) })
