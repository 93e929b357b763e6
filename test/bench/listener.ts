/**
 * The listener (verified, durable, persistEvents on) against a bare node:http server and against itself without its
 * fast path, in turn: 32 connections, a 220-byte body, every request signed for itself. Targets: at least 0.85 of the
 * bare server's requests a second, p99 at most twice its p99. The other cases are reported.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type Load,
  type LoadOptions,
  load,
  newFolder,
  type Program,
  type RunningService,
  removeFolder,
  startProgram,
  startService,
} from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const Bare = z.object({ url: z.string() })

type Servers = {
  readonly bare: Program<z.infer<typeof Bare>>
  /** With and without the fast path. */
  readonly fast: RunningService
  readonly slow: RunningService
}
type Case = Partial<Pick<LoadOptions, 'connections' | 'requests' | 'bodyBytes' | 'ca' | 'fresh'>>

export type ListenerBench = {
  requestsRatio: number
  p99Ratio: number
  perSecond: number
  barePerSecond: number
  /** Requests a second to the bare server's, with the fast path and without it, by case. */
  cases: Record<string, { fast: number; slow: number }>
}

export async function run({ rounds = 7, otherRounds = 3, requests = 100_000 } = {}): Promise<ListenerBench> {
  const plain = await startServers([], [])
  const folder = newFolder()
  const cert = join(folder, 'a.crt')
  const key = join(folder, 'a.key')
  makeCertificate(cert, key)
  const overTls = await startServers([cert, key], ['--tls-cert', cert, '--tls-key', key])
  try {
    const main = await compare('32 connections, 220 bytes', plain, rounds, { requests })
    const cases: ListenerBench['cases'] = {}
    const other = async (title: string, servers: Servers, one: Case) => {
      const { ratios } = await compare(title, servers, otherRounds, { requests: requests / 4, ...one })
      cases[title] = ratios
    }
    await other('1 connection', plain, { connections: 1, requests: requests / 10 })
    await other('8 connections', plain, { connections: 8 })
    await other('256 connections', plain, { connections: 256 })
    await other('2 KB bodies', plain, { bodyBytes: 2000 })
    await other('20 KB bodies', plain, { bodyBytes: 20_000, requests: requests / 10 })
    await other('a new connection for each request', plain, { fresh: true, requests: requests / 10 })
    await other('TLS', overTls, { ca: cert })
    for (const { call, connectionId } of [plain.fast, plain.slow])
      await call('PATCH', `/connections/${connectionId}`, { persistEvents: false })
    await other('without persistence', plain, {})
    console.log('target of 32 connections, 220 bytes: requests at least 0.85, p99 at most 2.00')
    return {
      requestsRatio: main.ratios.fast,
      p99Ratio: median(main.p99),
      perSecond: median(main.fast.map(one => one.perSecond)),
      barePerSecond: median(main.bare.map(one => one.perSecond)),
      cases,
    }
  } finally {
    await stopServers(plain)
    await stopServers(overTls)
    removeFolder(folder)
  }
}

async function startServers(ofBare: readonly string[], ofServe: readonly string[]): Promise<Servers> {
  return {
    bare: await startProgram(['test/bench/support/bare-server.ts', ...ofBare], Bare),
    fast: await startService(newFolder(), ofServe),
    slow: await startService(newFolder(), [...ofServe, '--no-fast-path']),
  }
}

async function stopServers({ bare, fast, slow }: Servers): Promise<void> {
  await bare.stop()
  for (const service of [fast, slow]) {
    await service.stop()
    removeFolder(service.folder)
  }
}

async function compare(title: string, servers: Servers, rounds: number, one: Case) {
  const { bare, fast, slow } = servers
  const options = { connections: 32, requests: 100_000, warmup: 5000, bodyBytes: 220, ...one }
  const loads: Record<keyof Servers, Load[]> = { bare: [], fast: [], slow: [] }
  for (let round = 0; round < rounds; round++) {
    loads.bare.push(await load({ ...options, url: `${bare.line.url}/`, secret: fast.secret }))
    loads.fast.push(await load({ ...options, url: fast.inboundUrl, secret: fast.secret }))
    loads.slow.push(await load({ ...options, url: slow.inboundUrl, secret: slow.secret }))
  }
  const refused = [...loads.fast, ...loads.slow].reduce((sum, { refused }) => sum + refused, 0)
  if (refused > 0) throw new Error(`${refused} requests were refused.`)
  const toBare = (of: readonly Load[], what: 'perSecond' | 'p99') =>
    of.flatMap((load, round) => {
      const base = loads.bare[round]
      return base === undefined ? [] : [load[what] / base[what]]
    })
  const perSecond = { fast: toBare(loads.fast, 'perSecond'), slow: toBare(loads.slow, 'perSecond') }
  const p99 = toBare(loads.fast, 'p99')
  console.log(title)
  for (const name of ['bare', 'fast', 'slow'] as const)
    console.log(
      `  ${name}   ${spread(
        loads[name].map(({ perSecond }) => perSecond),
        0,
      )} requests/s, p50 ${spread(loads[name].map(({ p50 }) => p50))} ms, p99 ${spread(loads[name].map(({ p99 }) => p99))} ms`,
    )
  console.log(
    `  requests to bare ${spread(perSecond.fast)}, without the fast path ${spread(perSecond.slow)}; p99 to bare ${spread(p99)}, ` +
      `without ${spread(toBare(loads.slow, 'p99'))}`,
  )
  return { ...loads, p99, ratios: { fast: median(perSecond.fast), slow: median(perSecond.slow) } }
}

function makeCertificate(cert: string, key: string): void {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
}

if (import.meta.main) await run()
