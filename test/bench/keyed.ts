/**
 * 200 workflows that start once for each key (`once`) on the same events: events a second in a folder, the processor time
 * and the stored bytes of an event. All are new keys.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSecondsOf } from './support/cpu-time.ts'
import { load, type RunningService, removeFolder, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const stop = { key: 'stop', type: 'stop', outcome: 'succeeded' }

export type KeyedBench = {
  readonly perSecond: number
  readonly milliseconds: number
  readonly kilobytes: number
}

export async function run({
  workflows = 200,
  rounds = 5,
  requests = 1000,
  bodyBytes = 1000,
  step = stop,
}: Options = {}): Promise<KeyedBench> {
  const service = await startService()
  try {
    for (let index = 0; index < workflows; index++)
      await service.call('POST', '/workflows', {
        ...{ name: `Keyed ${index}`, steps: [step] },
        trigger: { type: 'external.event', once: { key: '{{id}}', hours: 24 } },
      })
    const measured: KeyedBench[] = []
    for (let round = 0; round < rounds; round++)
      measured.push(await measure(service, { requests, bodyBytes, warmup: 100, connections: 32 }))
    const of = (name: keyof KeyedBench) => measured.map(one => one[name])
    console.log(
      `events a second, ${workflows} keys each    ${spread(of('perSecond'), 0)}   target: at least 300`,
    )
    console.log(`ms of CPU an event                  ${spread(of('milliseconds'))}`)
    console.log(`KB stored of an event               ${spread(of('kilobytes'))}`)
    return {
      perSecond: median(of('perSecond')),
      milliseconds: median(of('milliseconds')),
      kilobytes: median(of('kilobytes')),
    }
  } finally {
    await service.stop()
    removeFolder(service.folder)
  }
}

type Options = {
  readonly workflows?: number
  readonly rounds?: number
  readonly requests?: number
  readonly bodyBytes?: number
  readonly step?: object
}
type Size = { readonly requests: number; readonly bodyBytes: number; readonly warmup: number }

async function measure(
  { inboundUrl: url, secret, line, folder }: RunningService,
  options: Size & { readonly connections: number },
): Promise<KeyedBench> {
  const events = options.requests + options.warmup
  const [cpu, bytes] = [cpuSecondsOf(line.pid), sizeOf(folder)]
  const { perSecond, refused } = await load({ ...options, url, secret })
  if (refused > 0) throw new Error(`${refused} events were refused.`)
  return {
    perSecond,
    milliseconds: ((cpuSecondsOf(line.pid) - cpu) / events) * 1000,
    kilobytes: (sizeOf(folder) - bytes) / events / 1024,
  }
}

const sizeOf = (folder: string) =>
  readdirSync(folder)
    .filter(name => name.startsWith('events.sqlite'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

if (import.meta.main) await run()
