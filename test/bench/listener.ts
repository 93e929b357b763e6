/**
 * The listener (verified, durable, persistEvents on) against a bare node:http server, against a Fastify server that
 * verifies and stores each event, and against itself without its fast path: 32 connections, a 220-byte body, every
 * request signed for itself. Targets: at least 0.85 of the bare server's requests a second, p99 at most twice its p99,
 * at least 1.0 of the Fastify server, and at least 0.40 of the bare server with bodies of 20 KB. The other cases are
 * reported.
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

const Ready = z.object({ url: z.string() })

const names = ['bare', 'fastify', 'fast', 'slow'] as const
type Name = (typeof names)[number]

type Servers = {
  readonly bare: Program<z.infer<typeof Ready>>
  readonly fastify: Program<z.infer<typeof Ready>>
  readonly ofFastify: string
  /** With and without the fast path. */
  readonly fast: RunningService
  readonly slow: RunningService
}
type Case = Partial<Pick<LoadOptions, 'connections' | 'requests' | 'bodyBytes' | 'ca' | 'fresh'>>

/** Requests a second, divided by those of the bare server and of Fastify. */
type Ratios = { readonly toBare: number; readonly toFastify: number }

export type ListenerBench = {
  requestsRatio: number
  fastifyRatio: number
  p99Ratio: number
  perSecond: number
  barePerSecond: number
  /** With the fast path and without it, by case. */
  cases: Record<string, { fast: Ratios; slow: Ratios }>
}

const fastifySecret = 'whsec_of_the_fastify_server'

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
    await other('without persistence (Fastify stores)', plain, {})
    console.log(
      'targets of 32 connections, 220 bytes: to bare at least 0.85, p99 at most 2.00; to Fastify at least 1.00',
    )
    console.log('target of 20 KB bodies: to bare at least 0.40')
    return {
      requestsRatio: main.ratios.fast.toBare,
      fastifyRatio: main.ratios.fast.toFastify,
      p99Ratio: main.p99,
      perSecond: median(main.loads.fast.map(one => one.perSecond)),
      barePerSecond: median(main.loads.bare.map(one => one.perSecond)),
      cases,
    }
  } finally {
    await stopServers(plain)
    await stopServers(overTls)
    removeFolder(folder)
  }
}

/** @param certificate the files of a certificate and its key; none without TLS. */
async function startServers(certificate: readonly string[], ofServe: readonly string[]): Promise<Servers> {
  const ofFastify = newFolder()
  const database = join(ofFastify, 'events.sqlite')
  return {
    bare: await startProgram(['test/bench/support/bare-server.ts', ...certificate], Ready),
    fastify: await startProgram(
      ['test/bench/support/fastify-server.ts', database, fastifySecret, ...certificate],
      Ready,
    ),
    ofFastify,
    fast: await startService(newFolder(), { args: ofServe }),
    slow: await startService(newFolder(), { args: [...ofServe, '--no-fast-path'] }),
  }
}

async function stopServers({ bare, fastify, ofFastify, fast, slow }: Servers): Promise<void> {
  for (const server of [bare, fastify, fast, slow]) await server.stop()
  for (const folder of [ofFastify, fast.folder, slow.folder]) removeFolder(folder)
}

async function compare(title: string, servers: Servers, rounds: number, one: Case) {
  const { bare, fastify, fast, slow } = servers
  const options = { connections: 32, requests: 100_000, warmup: 5000, bodyBytes: 220, ...one }
  const targets: Record<Name, Pick<LoadOptions, 'url' | 'secret'>> = {
    bare: { url: `${bare.line.url}/`, secret: fast.secret },
    fastify: { url: fastify.line.url, secret: fastifySecret },
    fast: { url: fast.inboundUrl, secret: fast.secret },
    slow: { url: slow.inboundUrl, secret: slow.secret },
  }
  const loads: Record<Name, Load[]> = { bare: [], fastify: [], fast: [], slow: [] }
  for (let round = 0; round < rounds; round++) {
    // Another one begins each round: what runs before leaves caches, and a disk that is still writing.
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      loads[name].push(await load({ ...options, ...targets[name] }))
  }
  const refused = names.flatMap(name => loads[name]).reduce((sum, { refused }) => sum + refused, 0)
  if (refused > 0) throw new Error(`${refused} requests were refused.`)
  /** Returns the ratios of each round. */
  const ratiosOf = (name: Name, to: Name, what: 'perSecond' | 'p99') =>
    loads[name].flatMap((load, round) => {
      const base = loads[to][round]
      return base === undefined ? [] : [load[what] / base[what]]
    })
  console.log(title)
  for (const name of names) {
    const of = (what: 'perSecond' | 'p50' | 'p99', digits = 2) =>
      spread(
        loads[name].map(load => load[what]),
        digits,
      )
    const compared = (to: Name) => spread(ratiosOf(name, to, 'perSecond'))
    console.log(
      `  ${name.padEnd(7)} ${of('perSecond', 0)} requests/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms`,
    )
    if (name === 'bare') continue
    const toFastify = name === 'fastify' ? '' : `, to Fastify ${compared('fastify')}`
    console.log(
      `          requests to bare ${compared('bare')}${toFastify}; p99 to bare ${spread(ratiosOf(name, 'bare', 'p99'))}`,
    )
  }
  const ratios = (name: Name): Ratios => ({
    toBare: median(ratiosOf(name, 'bare', 'perSecond')),
    toFastify: median(ratiosOf(name, 'fastify', 'perSecond')),
  })
  return {
    loads,
    p99: median(ratiosOf('fast', 'bare', 'p99')),
    ratios: { fast: ratios('fast'), slow: ratios('slow') },
  }
}

function makeCertificate(cert: string, key: string): void {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
}

if (import.meta.main) await run()
