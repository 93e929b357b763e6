/**
 * The latency of events that start a workflow, with spans exported to a receiver that is there, to a closed port, and to one
 * that accepts connections and never answers; and without an export. In turn within each round. Target: with the receiver
 * away, a p99 of at most 1.1 times that with the receiver there.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import {
  type Load,
  load,
  newFolder,
  type RunningService,
  removeFolder,
  startService,
} from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const names = ['off', 'there', 'closed', 'silent'] as const
type Name = (typeof names)[number]

/** The p99 of each, divided by that of the same round with the receiver there. */
export type TracingBench = Record<Exclude<Name, 'there'>, number>

const stop = { key: 'stop', type: 'stop', outcome: 'succeeded' }

export async function run({ rounds = 12, requests = 5000 } = {}): Promise<TracingBench> {
  let exports = 0
  const there = createServer((request, response) => {
    exports++
    request.resume().on('end', () => response.end('{}'))
  })
  const silent = createTcpServer(socket => socket.on('error', () => {}).resume())
  const endpoints: Record<Name, string | null> = {
    ...{ off: null, there: await listening(there), silent: await listening(silent) },
    // Nothing listens there.
    closed: 'http://127.0.0.1:1',
  }
  const services = new Map<Name, RunningService>()
  const loads = new Map<Name, Load[]>()
  const measure = async ({ inboundUrl: url, secret }: RunningService) => {
    const one = await load({ url, secret, connections: 8, requests, warmup: 500, bodyBytes: 220 })
    if (one.refused > 0) throw new Error(`${one.refused} events were refused.`)
    return one
  }
  try {
    for (const name of names) {
      const endpoint = endpoints[name]
      const env = endpoint === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
      const service = await startService(newFolder(), { env })
      services.set(name, service)
      const trigger = { type: 'external.event', eventName: 'order.created' }
      await service.call('POST', '/workflows', { name: 'Traced', steps: [stop], trigger })
      await measure(service)
    }
    for (let round = 0; round < rounds; round++) {
      // Another one begins each round: what runs before leaves caches, and a disk that is still writing.
      const first = round % names.length
      for (const name of [...names.slice(first), ...names.slice(0, first)]) {
        const service = services.get(name)
        if (service !== undefined) loads.set(name, [...(loads.get(name) ?? []), await measure(service)])
      }
    }
    if (exports === 0) throw new Error('Nothing was exported.')
    const base = loads.get('there') ?? []
    const ratio = (name: Name): number => {
      const own = loads.get(name) ?? []
      const ratios = own.map(({ p99 }, round) => p99 / (base[round]?.p99 ?? Number.NaN))
      const p99 = `p99 ${spread(own.map(one => one.p99))} ms`
      console.log(`${name.padEnd(8)} ${p99.padEnd(34)} to there ${spread(ratios)}`)
      return median(ratios)
    }
    const ratios = { off: ratio('off'), closed: ratio('closed'), silent: ratio('silent') }
    console.log(`${exports} exports; target of closed and silent: at most 1.10`)
    return ratios
  } finally {
    for (const service of services.values()) {
      await service.stop()
      removeFolder(service.folder)
    }
    there.closeAllConnections()
    there.close()
    silent.close()
  }
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

if (import.meta.main) await run()
