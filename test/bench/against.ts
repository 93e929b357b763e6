/**
 * Events that this program accepts against those of another version of it, in turn: `PROGRAM=PATH npm run bench -- against`
 * with the folder of its sources. Without PROGRAM it compares the program with itself, which shows how much the machine
 * varies. Events of the service's own scheme and of GitHub's, with a workflow that takes them, and with 1,000 of them.
 * Target: at least 0.98.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
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
  own: { requests: 100_000 },
  github: { requests: 100_000, scheme: 'github' },
  'one workflow': { requests: 40_000, workflows: 1 },
  '1,000 workflows': { requests: 100, workflows: 1000 },
}

/** @returns the middle of the ratios of each case. */
export async function run({
  rounds = 12,
  program = process.env.PROGRAM,
} = {}): Promise<Record<string, number>> {
  const results: Record<string, number> = {}
  for (const [name, one] of Object.entries(cases)) {
    const [ours, theirs] = [await prepare(one), await prepare(one, program)]
    const perSecond = new Map<RunningService, number[]>([
      [ours, []],
      [theirs, []],
    ])
    try {
      for (let round = 0; round < rounds; round++)
        for (const service of round % 2 === 0 ? [ours, theirs] : [theirs, ours])
          perSecond.get(service)?.push(await measure(service, one))
      const [own = [], other = []] = perSecond.values()
      const ratios = own.map((value, round) => value / (other[round] ?? Number.NaN))
      results[name] = median(ratios)
      console.log(
        `${name.padEnd(16)} ${spread(ratios)}   ${median(own).toFixed(0)} and ${median(other).toFixed(0)} a second   target: at least 0.98`,
      )
    } finally {
      for (const service of [ours, theirs]) {
        await service.stop()
        removeFolder(service.folder)
      }
    }
  }
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

/** @returns events a second. Leaves no run behind. */
async function measure({ inboundUrl: url, secret, call }: RunningService, { scheme, requests }: Case) {
  const options = { connections: 32, warmup: Math.ceil(requests / 10), bodyBytes: 220, requests }
  const { perSecond, refused } = await load({
    ...options,
    url,
    secret,
    ...(scheme !== undefined && { scheme }),
  })
  if (refused > 0) throw new Error(`${refused} requests were refused.`)
  for (;;) {
    const { queued, running } = Counts.parse(await call('GET', '/runs/counts'))
    if (queued + running === 0) return perSecond
    await delay(50)
  }
}
