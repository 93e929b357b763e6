import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fetch } from 'undici'
import { newFolder, type RunningService, removeFolder, type Setup, startService } from './processes.ts'
import { startRoundRobin } from './round-robin.ts'

/** The variables that a service needs in its environment to use a database. */
export const databaseEnv = { CUSTOM_CONNECTION_KEY: '7'.repeat(64) }

/** Milliseconds between two polls of the proxies for whether a node wants no more requests. */
const pollEveryMs = 200

/** How one of the nodes is started, if it differs. `url` is of the database as this node reaches it. */
export type NodeSetup = Setup & { readonly url?: string }

/** Services on one database, behind proxies that hand them connections in turn. */
export type Nodes = {
  /** Where events of the first connection are sent: an address of the proxy. */
  readonly inboundUrl: string
  /** An address of another proxy: the dashboard, REST and MCP. All services have the same admin token. */
  readonly dashboardUrl: string
  /** Returns the place of the service that the newest connection to that proxy was handed to; -1 if it does not run. */
  newest(): number
  readonly secret: string
  readonly connectionId: string
  /** Calls REST on the first service that runs. */
  readonly call: RunningService['call']
  /** Returns the service at this place, with addresses of its own. @throws if it does not run. */
  at(index: number): RunningService
  /** Ends the service at this place: at once, or in order with SIGTERM. */
  kill(index: number, signal?: NodeJS.Signals): Promise<void>
  /** Starts it again. @param setup instead of the one before. */
  start(index: number, setup?: NodeSetup): Promise<void>
  /** Returns how many have ended without being told to. */
  ended(): number
  close(): Promise<void>
}

/**
 * Starts services, whose first connection keeps all events. The first one has the first slot.
 *
 * @param url of the database. @param setupOf returns how a node is started.
 */
export async function startNodes(
  count: number,
  url: string,
  setupOf: (index: number) => NodeSetup = () => ({}),
): Promise<Nodes> {
  const [inbound, dashboard] = await Promise.all([startRoundRobin(), startRoundRobin()])
  const nodes = Array.from({ length: count }, (_, index) => ({
    folder: newFolder(),
    setup: setupOf(index),
    service: null as RunningService | null,
  }))
  const running = () => nodes.flatMap(({ service }) => service ?? [])

  function nodeAt(index: number) {
    const node = nodes[index]
    if (node === undefined) throw new Error(`There is no node ${index}.`)
    return node
  }

  function at(index: number): RunningService {
    const { service } = nodeAt(index)
    if (service === null) throw new Error(`Node ${index} does not run.`)
    return service
  }

  function route(): void {
    inbound.setTargets(running().map(({ line }) => portOf(line.listenerUrl)))
    dashboard.setTargets(running().map(({ line }) => portOf(line.dashboardUrl)))
  }

  async function start(index: number, setup = nodeAt(index).setup): Promise<RunningService> {
    const node = nodeAt(index)
    node.setup = setup
    // Ends soon, unless the setup says otherwise.
    const args = ['--drain-seconds', '0', '--database', setup.url ?? url, ...(setup.args ?? [])]
    node.service = await startService(node.folder, { ...setup, args, env: { ...databaseEnv, ...setup.env } })
    route()
    return node.service
  }

  async function close(): Promise<void> {
    await Promise.all(running().map(service => service.stop()))
    inbound.close()
    dashboard.close()
    for (const { folder } of nodes) removeFolder(folder)
  }

  try {
    const first = await start(0)
    const { connectionId, secret } = first
    await Promise.all(nodes.slice(1).map((_, index) => start(index + 1)))
    const retention = { maxEvents: 10_000_000, maxDays: 3650 }
    await first.call('PATCH', `/connections/${connectionId}`, { retention })
    return {
      ...{ connectionId, secret, at, close },
      inboundUrl: inbound.origin + new URL(first.inboundUrl).pathname,
      dashboardUrl: dashboard.origin,
      newest: () =>
        nodes.findIndex(({ service }) => service && portOf(service.line.dashboardUrl) === dashboard.newest()),
      call(method, path, body) {
        const [service] = running()
        if (service === undefined) throw new Error('No node runs.')
        return service.call(method, path, body)
      },
      async kill(index, signal = 'SIGKILL') {
        const service = at(index)
        nodeAt(index).service = null
        const exited = once(service.process, 'exit')
        service.process.kill(signal)
        if (signal === 'SIGTERM') await untilUnready(service)
        else await exited
        route()
        await exited
      },
      start: async (index, setup) => {
        await start(index, setup)
      },
      ended: () =>
        running().filter(({ process }) => process.exitCode !== null || process.signalCode !== null).length,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const portOf = (url: string) => Number(new URL(url).port)

/** Polls, like a load balancer, until a node wants no more requests. */
async function untilUnready({ line }: RunningService): Promise<void> {
  for (;;) {
    const response = await fetch(`${line.dashboardUrl}/readyz`).catch(() => null)
    await response?.arrayBuffer()
    if (response?.ok !== true) return
    await delay(pollEveryMs)
  }
}
