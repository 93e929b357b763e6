/**
 * The listener (verified, durable, persistEvents on) against a bare node:http server, in turn: 32
 * connections, a 220-byte body, every request signed for itself. Targets: at least 0.70 of the bare
 * server's requests a second, p99 at most twice its p99.
 */
import { z } from 'zod'
import { type Load, load, removeFolder, startProgram, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const Bare = z.object({ url: z.string() })

export type ListenerBench = {
  requestsRatio: number
  p99Ratio: number
  perSecond: number
  barePerSecond: number
}

export async function run({ rounds = 7, requests = 100_000 } = {}): Promise<ListenerBench> {
  const common = { connections: 32, requests, warmup: 10_000, bodyBytes: 220 }
  const bare = await startProgram(['test/bench/support/bare-server.ts'], Bare)
  const service = await startService()
  const ours: Load[] = []
  const theirs: Load[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      theirs.push(await load({ ...common, url: `${bare.line.url}/`, secret: service.secret }))
      ours.push(await load({ ...common, url: service.inboundUrl, secret: service.secret }))
    }
  } finally {
    await bare.stop()
    await service.stop()
    removeFolder(service.folder)
  }
  const refused = ours.reduce((sum, one) => sum + one.refused, 0)
  if (refused > 0) throw new Error(`${refused} requests were refused.`)
  const ratios = (of: (one: Load) => number) =>
    ours.flatMap((one, round) => {
      const other = theirs[round]
      return other === undefined ? [] : [of(one) / of(other)]
    })
  const requestsRatios = ratios(one => one.perSecond)
  const p99Ratios = ratios(one => one.p99)
  console.log(
    `bare node:http   ${spread(
      theirs.map(one => one.perSecond),
      0,
    )} requests/s, p99 ${spread(theirs.map(one => one.p99))} ms`,
  )
  console.log(
    `this listener    ${spread(
      ours.map(one => one.perSecond),
      0,
    )} requests/s, p99 ${spread(ours.map(one => one.p99))} ms`,
  )
  console.log(`requests ratio   ${spread(requestsRatios)}   target: at least 0.70`)
  console.log(`p99 ratio        ${spread(p99Ratios)}   target: at most 2.00`)
  return {
    requestsRatio: median(requestsRatios),
    p99Ratio: median(p99Ratios),
    perSecond: median(ours.map(one => one.perSecond)),
    barePerSecond: median(theirs.map(one => one.perSecond)),
  }
}

if (import.meta.main) await run()
