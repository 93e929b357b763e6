import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import { startRoundRobin } from '../bench/support/round-robin.ts'
import { type CliService, createConnection, serve, temporaryFolder } from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase, query } from '../support/postgres-database.ts'

const token = 'admin-token-of-the-nodes-0123456789'
const authorization = `Bearer ${token}`

/** How often the load balancer asks, in milliseconds. */
const checkEveryMs = 200

/** Starts a TCP load balancer that sends connections to the nodes whose /readyz is 200. */
async function startBalancer() {
  const inbound = await startRoundRobin()
  const dashboard = await startRoundRobin()
  let nodes: readonly CliService[] = []
  let ready: readonly CliService[] = []
  async function check(): Promise<void> {
    const asked = nodes.map(async node => {
      const response = await fetch(`${node.dashboardUrl}/readyz`).catch(() => null)
      return response?.status === 200 ? [node] : []
    })
    ready = (await Promise.all(asked)).flat()
    inbound.setTargets(ready.map(({ listenerUrl }) => Number(new URL(listenerUrl).port)))
    dashboard.setTargets(ready.map(({ dashboardUrl }) => Number(new URL(dashboardUrl).port)))
  }
  const timer = setInterval(() => void check(), checkEveryMs)
  onTestFinished(() => {
    clearInterval(timer)
    inbound.close()
    dashboard.close()
  })
  return {
    inboundUrl: inbound.origin,
    dashboardUrl: dashboard.origin,
    /** Resolves once all of them get requests. */
    async use(these: readonly CliService[]) {
      nodes = these
      await eventually(() => expect(ready).toEqual(these))
    },
  }
}

type Call = { readonly url: string; readonly headers: Record<string, string>; readonly body?: string }

/** Resolves with the status. */
function ask({ url, headers, body }: Call, agent: Agent | false): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', agent, headers },
      response => {
        response.resume()
        response.once('error', reject)
        response.once('end', () => resolve(response.statusCode ?? 0))
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

describe.skipIf(noPostgres !== null)('nodes that restart one after another', () => {
  it.each([
    ['a connection for each request', false],
    ['connections that are kept until an answer ends them', true],
  ])('fail no request: %s', async (_name, keepAlive) => {
    const url = await newDatabase()
    const env = {
      CUSTOM_CONNECTION_KEY: 'a1'.repeat(32),
      CUSTOM_CONNECTION_ADMIN_TOKEN: token,
      CUSTOM_CONNECTION_DATABASE: url,
    }
    const start = () => serve(temporaryFolder(), ['--drain-seconds', '1'], { env })
    let nodes = [await start(), await start()]
    const [first] = nodes
    if (first === undefined) throw new Error('There are two.')
    const { credentials } = await createConnection(first, 'Shop', token)
    const key = new SigningKey(credentials.signingSecret)
    const balancer = await startBalancer()
    await balancer.use(nodes)

    const { pathname } = new URL(credentials.inboundUrl)
    let sent = 0
    const event = (): Call => {
      const body = JSON.stringify({ event: 'order.created', data: { id: sent++ } })
      return {
        url: balancer.inboundUrl + pathname,
        headers: { ...signedHeaders(key, Date.now(), body) },
        body,
      }
    }
    const list = (): Call => ({
      url: `${balancer.dashboardUrl}/api/v1/connections`,
      headers: { authorization },
    })
    const outcomes: (number | string)[] = []
    let isStopped = false
    async function keepAsking(next: () => Call): Promise<void> {
      const agent = keepAlive && new Agent({ keepAlive, maxSockets: 1 })
      while (!isStopped) outcomes.push(await ask(next(), agent).catch((error: Error) => error.message))
      if (agent) agent.destroy()
    }
    const asking = Promise.all([event, event, event, list].map(keepAsking))
    const untilMore = async (count: number) => {
      const least = outcomes.length + count
      await eventually(() => expect(outcomes.length).toBeGreaterThan(least))
    }

    await untilMore(50)
    for (const node of nodes) {
      node.process.signal('SIGTERM')
      expect((await node.process.ended).code).toBe(0)
      await untilMore(50)
      nodes = [...nodes.filter(other => other !== node), await start()]
      await balancer.use(nodes)
    }
    isStopped = true
    await asking
    expect(outcomes.filter(outcome => outcome !== 200)).toEqual([])
    expect(await query(url, 'SELECT count(*)::int AS stored FROM event')).toEqual([{ stored: sent }])
  })
})
