import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import { followLive, wait } from '#renderer/client/follow-live.ts'
import { NodeList } from '#shared/model/nodes.ts'
import { startRoundRobin } from '../bench/support/round-robin.ts'
import { type CliService, createConnection, serve, temporaryFolder } from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase, query } from '../support/postgres-database.ts'
import { needsProxy, startProxy } from '../support/reverse-proxy.ts'
import { httpClient, signIn } from '../support/rpc-client.ts'

const token = 'admin-token-of-the-nodes-0123456789'
const authorization = `Bearer ${token}`

/** How often a load balancer asks, in milliseconds. */
const checkEveryMs = 200

/** Where a load balancer accepts: a port or a Unix socket. */
type Place = { readonly port: number } | { readonly socketPath: string }
type Balancer = { readonly inbound: Place; readonly dashboard: Place }

const portOf = (url: string) => Number(new URL(url).port)

/** Starts a TCP load balancer that sends connections to the nodes whose /readyz is 200. */
async function startTcp(nodes: readonly CliService[]): Promise<Balancer> {
  const inbound = await startRoundRobin()
  const dashboard = await startRoundRobin()
  async function check(): Promise<void> {
    const asked = nodes.map(async node => {
      const response = await fetch(`${node.dashboardUrl}/readyz`).catch(() => null)
      return response?.status === 200 ? [node] : []
    })
    const ready = (await Promise.all(asked)).flat()
    inbound.setTargets(ready.map(({ listenerUrl }) => portOf(listenerUrl)))
    dashboard.setTargets(ready.map(({ dashboardUrl }) => portOf(dashboardUrl)))
  }
  const timer = setInterval(() => void check(), checkEveryMs)
  onTestFinished(() => {
    clearInterval(timer)
    inbound.close()
    dashboard.close()
  })
  await check()
  return { inbound: { port: portOf(inbound.origin) }, dashboard: { port: portOf(dashboard.origin) } }
}

/** Starts HAProxy with the configuration that is shipped, but with these nodes, which it asks more often. */
async function startHaproxy(nodes: readonly CliService[]): Promise<Balancer> {
  const { sockets } = await startProxy('HAProxy', { listener: 1, dashboard: 1 }, text =>
    text
      .replace('check port 8788 inter 1s', `check inter ${checkEveryMs}ms`)
      .replaceAll(/^ *server node-(\d) \S+:(\d+)$/gm, (_line, number, port) => {
        const node = nodes[number - 1]
        if (node === undefined) return ''
        const dashboardPort = portOf(node.dashboardUrl)
        const to = port === '8787' ? portOf(node.listenerUrl) : dashboardPort
        return `    server node-${number} 127.0.0.1:${to} port ${dashboardPort}`
      }),
  )
  return { inbound: { socketPath: sockets.public }, dashboard: { socketPath: sockets.private } }
}

type Call = {
  readonly to: Place
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

function ask(
  { to, path, headers, body }: Call,
  agent: Agent | false,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const options = {
      host: '127.0.0.1',
      ...to,
      path,
      method,
      agent,
      headers: { host: 'localhost', ...headers },
    }
    const outgoing = request(options, response => {
      let text = ''
      response.setEncoding('utf8').on('data', part => {
        text += part
      })
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

const haproxy = needsProxy('HAProxy')

describe.skipIf(noPostgres !== null)('nodes that restart one after another fail no request', () => {
  it('behind a TCP load balancer', () => restartUnderLoad(startTcp))
  it.skipIf(haproxy.isMissing)(`behind ${haproxy.title}`, () => restartUnderLoad(startHaproxy))
})

/** Follows the live stream as the dashboard's page does. Returns what the page knows of it. */
async function followAsPage(port: number) {
  const url = `http://127.0.0.1:${port}`
  const session = await signIn(url, token)
  const client = httpClient(
    () => url,
    () => session,
  )
  const ended = new AbortController()
  const states: string[] = []
  onTestFinished(() => ended.abort())
  void followLive({
    open: (lastEventId, signal) => client.live.follow({}, { lastEventId, signal }),
    onMessage() {},
    onState: state => void states.push(state),
    wait,
    signal: ended.signal,
  })
  await eventually(() => expect(states).toEqual(['live']))
  return { states, stop: () => ended.abort() }
}

async function restartUnderLoad(
  startBalancer: (nodes: readonly CliService[]) => Promise<Balancer>,
): Promise<void> {
  const url = await newDatabase()
  const env = {
    CUSTOM_CONNECTION_KEY: 'a1'.repeat(32),
    CUSTOM_CONNECTION_ADMIN_TOKEN: token,
    CUSTOM_CONNECTION_DATABASE: url,
  }
  const start = (listenerPort: number, dashboardPort: number) => {
    const ports = ['--port', String(listenerPort), '--dashboard-port', String(dashboardPort)]
    return serve(temporaryFolder(), ['--drain-seconds', '1', ...ports], { env })
  }
  const first = await start(await freePort(), await freePort())
  const nodes = [first, await start(await freePort(), await freePort())]
  const balancer = await startBalancer(nodes)
  const { credentials } = await createConnection(first, 'Shop', token)
  const key = new SigningKey(credentials.signingSecret)

  const { pathname } = new URL(credentials.inboundUrl)
  let sent = 0
  const event = (): Call => {
    const body = JSON.stringify({ event: 'order.created', data: { id: sent++ } })
    return {
      to: balancer.inbound,
      path: pathname,
      headers: { ...signedHeaders(key, Date.now(), body) },
      body,
    }
  }
  const list = (): Call => ({ to: balancer.dashboard, path: '/api/v1/nodes', headers: { authorization } })
  const outcomes: (number | string)[] = []
  let isStopped = false
  /** @param agent false for a connection for each request. */
  async function keepAsking(next: () => Call, agent: Agent | false): Promise<void> {
    while (!isStopped)
      outcomes.push(
        await ask(next(), agent).then(
          ({ status }) => status,
          (error: Error) => error.message,
        ),
      )
    if (agent) agent.destroy()
  }
  const untilMore = async (count: number) => {
    const least = outcomes.length + count
    await eventually(() => expect(outcomes.length).toBeGreaterThan(least))
  }
  /** Resolves when both nodes get requests. */
  const untilBothAnswer = () =>
    eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask(list(), false)))
      const all = answers.flatMap(({ text }) => NodeList.parse(JSON.parse(text)))
      expect(new Set(all.filter(({ isThis }) => isThis).map(({ nodeId }) => nodeId)).size).toBe(2)
    })

  await untilBothAnswer()
  const page = 'port' in balancer.dashboard ? await followAsPage(balancer.dashboard.port) : null
  const asking = Promise.all(
    [event, event, list].flatMap(next => [
      keepAsking(next, false),
      // Ends a connection when an answer says so.
      keepAsking(next, new Agent({ keepAlive: true, maxSockets: 1 })),
    ]),
  )
  await untilMore(50)
  for (const { process, listenerUrl, dashboardUrl } of nodes) {
    process.signal('SIGTERM')
    expect((await process.ended).code).toBe(0)
    await untilMore(50)
    await start(portOf(listenerUrl), portOf(dashboardUrl))
    await untilBothAnswer()
  }
  isStopped = true
  await asking
  page?.stop()
  // The one that it followed first has been restarted.
  if (page !== null) expect(page.states.join(' ')).toMatch(/^live( live)+$/)
  expect(outcomes.filter(outcome => outcome !== 200)).toEqual([])
  expect(await query(url, 'SELECT count(*)::int AS stored FROM event')).toEqual([{ stored: sent }])
}
