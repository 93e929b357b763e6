import { once } from 'node:events'
import { newFolder, type RunningService, removeFolder, startService } from './processes.ts'
import { startRoundRobin } from './round-robin.ts'

/** What a service needs in its environment to use a database. */
export const databaseEnv = { CUSTOM_CONNECTION_KEY: '7'.repeat(64) }

/** Services on one database, behind a proxy that hands them connections in turn. */
export type Nodes = {
  /** Where events of the first connection are sent: an address of the proxy. */
  readonly inboundUrl: string
  readonly secret: string
  readonly connectionId: string
  /** Calls REST on the first service that runs. */
  readonly call: RunningService['call']
  /** Ends the service at this place at once. */
  kill(index: number): Promise<void>
  /** Starts it again. */
  start(index: number): Promise<void>
  /** Returns how many have ended without being told to. */
  ended(): number
  close(): Promise<void>
}

/** Starts services, whose first connection keeps all events. @param url of the database. */
export async function startNodes(count: number, url: string): Promise<Nodes> {
  const proxy = await startRoundRobin()
  const folders = Array.from({ length: count }, newFolder)
  const services: (RunningService | null)[] = folders.map(() => null)
  const running = () => services.filter(service => service !== null)

  function route(): void {
    proxy.setTargets(running().map(({ line }) => Number(new URL(line.listenerUrl).port)))
  }

  async function start(index: number): Promise<RunningService> {
    const service = await startService(folders[index], ['--database', url], databaseEnv)
    services[index] = service
    route()
    return service
  }

  async function close(): Promise<void> {
    await Promise.all(running().map(service => service.stop()))
    proxy.close()
    for (const folder of folders) removeFolder(folder)
  }

  try {
    const first = await start(0)
    const { connectionId, secret } = first
    for (let index = 1; index < count; index++) await start(index)
    const retention = { maxEvents: 10_000_000, maxDays: 3650 }
    await first.call('PATCH', `/connections/${connectionId}`, { retention })
    return {
      ...{ connectionId, secret, close },
      inboundUrl: proxy.origin + new URL(first.inboundUrl).pathname,
      call(method, path, body) {
        const [service] = running()
        if (service === undefined) throw new Error('No node runs.')
        return service.call(method, path, body)
      },
      async kill(index) {
        const service = services[index]
        if (!service) throw new Error(`Node ${index} does not run.`)
        services[index] = null
        const exited = once(service.process, 'exit')
        service.process.kill('SIGKILL')
        await exited
        route()
      },
      start: async index => {
        await start(index)
      },
      ended: () =>
        running().filter(({ process }) => process.exitCode !== null || process.signalCode !== null).length,
    }
  } catch (error) {
    await close()
    throw error
  }
}
