/**
 * Memory over a long run: the resident set after 300,000 events against that after the first 50,000, without or with a
 * workflow that each event starts.
 * Target: within 10 %.
 */
import { readFileSync } from 'node:fs'
import { load, removeFolder, startService } from './support/processes.ts'

const step = 25_000

export type SoakResult = { readonly ratio: number; readonly megabytes: readonly number[] }

export async function run({ events = 300_000, hasWorkflow = false } = {}): Promise<SoakResult> {
  const service = await startService()
  const megabytes: number[] = []
  try {
    if (hasWorkflow)
      await service.call('POST', '/workflows', {
        ...{ name: 'Soak', concurrency: 100, trigger: { type: 'external.event' } },
        steps: [{ key: 'tell', type: 'notify', message: '{{id}}' }],
      })
    for (let sent = 0; sent < events; sent += step) {
      const requests = { connections: 32, requests: step, warmup: 0, bodyBytes: 220 }
      const { refused } = await load({ ...requests, url: service.inboundUrl, secret: service.secret })
      if (refused > 0) throw new Error(`${refused} requests were refused.`)
      megabytes.push(residentMegabytes(service.line.pid))
    }
  } finally {
    await service.stop()
    removeFolder(service.folder)
  }
  const after50k = megabytes[50_000 / step - 1] ?? Number.NaN
  const ratio = (megabytes.at(-1) ?? Number.NaN) / after50k
  console.log(`resident set, MB, each ${step} events   ${megabytes.map(value => value.toFixed(0)).join(' ')}`)
  console.log(`after ${events} against after 50000   ${ratio.toFixed(3)}   target: 0.90 to 1.10`)
  return { ratio, megabytes }
}

/** Linux only: what /proc says of the process, in units of 10^6 bytes. */
function residentMegabytes(pid: number): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kilobytes) * 1024) / 1e6
}

if (import.meta.main) await run()
