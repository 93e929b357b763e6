/**
 * Events that this program accepts against those of another version of it, in turn: `PROGRAM=PATH npm run bench -- against`
 * with the folder of its sources. Without PROGRAM it compares the program with itself, which shows how much the machine
 * varies. Events of the service's own scheme and of GitHub's, with a workflow that takes them, and with 1,000 of them; and
 * the processor time of an event with its runs, which other programs disturb less. Target: at least 0.98.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { cpuSecondsOf } from './support/cpu-time.ts'
import { load, newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const stop = { key: 'stop', type: 'stop', outcome: 'succeeded' }
const Counts = z.object({ queued: z.int(), running: z.int() })

type Case = {
  readonly scheme?: 'github'
  readonly workflows?: number
  readonly requests: number
}
const cases: Readonly<Record<string, Case>> = {
  own: { requests: 50_000 },
  github: { requests: 50_000, scheme: 'github' },
  'one workflow': { requests: 20_000, workflows: 1 },
  '1,000 workflows': { requests: 100, workflows: 1000 },
}

/** @returns the middle of the ratios of each case. */
export async function run({
  rounds = 12,
  program = process.env.PROGRAM,
  only = Object.keys(cases),
} = {}): Promise<Record<string, number>> {
  const results: Record<string, number> = {}
  for (const [name, one] of Object.entries(cases).filter(([name]) => only.includes(name))) {
    const [ours, theirs] = [await prepare(one), await prepare(one, program)]
    const measured = new Map<RunningService, Measured[]>([
      [ours, []],
      [theirs, []],
    ])
    try {
      for (let round = 0; round < rounds; round++)
        for (const service of round % 2 === 0 ? [ours, theirs] : [theirs, ours])
          measured.get(service)?.push(await measure(service, one))
      const [own = [], other = []] = measured.values()
      const ratios = own.map(({ perSecond }, round) => perSecond / (other[round]?.perSecond ?? Number.NaN))
      results[name] = median(ratios)
      const middle = (what: keyof Measured) =>
        [own, other].map(all => median(all.map(each => each[what])).toFixed(0)).join(' and ')
      console.log(
        `${name.padEnd(16)} ${spread(ratios)}   ${middle('perSecond')} a second   ${middle('microseconds')} µs of CPU`,
      )
    } finally {
      for (const service of [ours, theirs]) {
        await service.stop()
        removeFolder(service.folder)
      }
    }
  }
  console.log('target           at least 0.98')
  return results
}

/** Starts a version of the service that takes the requests of a case. @param sources left out: this version. */
async function prepare({ scheme, workflows = 0 }: Case, sources?: string): Promise<RunningService> {
  const service = await startService(newFolder(), sources === undefined ? {} : { sources })
  const { connectionId, secret, call } = service
  if (scheme !== undefined) {
    await call('PATCH', `/connections/${connectionId}`, { sender: { scheme } })
    await call('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  }
  for (let count = 0; count < workflows; count++)
    await call('POST', '/workflows', {
      ...{ name: `Bench ${count}`, concurrency: 100, trigger: { type: 'external.event' }, steps: [stop] },
    })
  await measure(service, { requests: 300, ...(scheme !== undefined && { scheme }) })
  return service
}

/** Events a second, and the processor time of an event with its runs. */
type Measured = { readonly perSecond: number; readonly microseconds: number }

/** Leaves no run behind. */
async function measure(
  { inboundUrl: url, secret, call, line }: RunningService,
  { scheme, requests }: Case,
): Promise<Measured> {
  const options = { connections: 32, warmup: Math.ceil(requests / 10), bodyBytes: 220, requests }
  const before = cpuSecondsOf(line.pid)
  const { perSecond, refused } = await load({
    ...options,
    url,
    secret,
    ...(scheme !== undefined && { scheme }),
  })
  if (refused > 0) throw new Error(`${refused} requests were refused.`)
  for (;;) {
    const { queued, running } = Counts.parse(await call('GET', '/runs/counts'))
    if (queued + running === 0) {
      const seconds = cpuSecondsOf(line.pid) - before
      return { perSecond, microseconds: (seconds / (requests + options.warmup)) * 1e6 }
    }
    await delay(50)
  }
}
