import { chmod, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Bus } from '#main/lib/bus.ts'
import { isDiskFull } from '#main/lib/file-system.ts'
import { listenError, urlOf } from '#main/lib/listen-on.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { Service } from '#main/service.ts'
import type { ServiceFacts } from '#main/storage/service-facts.ts'
import type { Machine } from '#main/storage/storage.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { mcpPath } from '#shared/contract/base.ts'
import type { ListenerStatus } from '#shared/model/service.ts'
import { createDashboard, type DashboardOptions } from './dashboard.ts'
import { createSessions } from './sessions.ts'

type OpenDashboardOptions = Omit<DashboardOptions, 'service' | 'hosts' | 'sessions' | 'bounds'> & {
  readonly host: string
  /** 0 selects a free one. */
  readonly port: number
  /** Additional host names that it answers to. */
  readonly allowedHosts: readonly string[]
}

export type OpenDashboard = Awaited<ReturnType<typeof openDashboard>>

/**
 * Serves REST and the dashboard on TCP.
 *
 * @throws ServiceError `port_in_use`, `address_unavailable`, with everything closed again.
 */
export async function openDashboard(service: Service, options: OpenDashboardOptions) {
  const { host, port, allowedHosts, ...rest } = options
  const { token, tls, random } = rest
  const sessions = createSessions(service.storage.sessions, token, random)
  const hosts = { listenHost: host, allowed: allowedHosts }
  const app = await createDashboard({ service, sessions, hosts, ...rest })
  /** Stops accepting, answers running requests, then closes. */
  const close = closeGently(app)
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
  const [address] = app.addresses()
  if (address === undefined || typeof address === 'string')
    throw new Error('A TCP server has an address and a port.')
  /** Its base URL. */
  const url = urlOf(address, tls === null ? 'http' : 'https')
  /** The base of the addresses of MCP. */
  const mcpUrl = url + mcpPath
  service.assistant.setUrl(mcpUrl)
  return { url, mcpUrl, close }
}

/**
 * Serves REST on the data folder's socket for the command line, and writes its address to the data folder. Returns a
 * function that answers running requests and closes it; call it before `service.stop()`.
 *
 * @param dashboardUrl of the dashboard on TCP; null if there is none.
 * @throws ServiceError `storage_unavailable`, with everything closed again.
 */
export async function answerLocally(
  service: Service,
  dashboardUrl: string | null,
  { clock, random, logger }: Pick<DashboardOptions, 'clock' | 'random' | 'logger'>,
): Promise<() => Promise<void>> {
  const token = random(32).toString('base64url')
  const app = await createDashboard({
    ...{ service, logger, token, clock, random },
    ...{ hosts: null, tls: null, sessions: null, rendererFolder: null },
  })
  const close = closeGently(app)
  // Before the listener starts, this is its intended address. The actual one is written once it listens.
  const { host, port, url } = service.listenerStatus()
  const facts = { token, listenerUrl: url ?? urlOf({ address: host, port }, 'http'), dashboardUrl }
  const onError = (err: unknown) =>
    logger.error({ err }, 'The address of the listener cannot be written to service.json')
  try {
    const stopFollowing = await openLocalSocket(app, service.machine, facts, service.listenerChanges, onError)
    return async () => {
      await stopFollowing()
      await close()
    }
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Milliseconds for running requests to finish, and for the ends of streams to be sent. */
const graceMs = 5000
const endMs = 500

/**
 * Tracks the requests of a dashboard. Returns a function that closes it: it stops accepting, answers running requests,
 * then ends streams, such as the activity feed. Their clients see an end and not an error, and connect again.
 */
export function closeGently(app: FastifyInstance): () => Promise<void> {
  const unanswered = new Set<ServerResponse>()
  let whenChanged = () => {}
  app.server.on('request', (_request: unknown, response: ServerResponse) => {
    unanswered.add(response)
    response.once('close', () => {
      unanswered.delete(response)
      whenChanged()
    })
  })

  /** Resolves when no response of a kind is unanswered, or after some time. */
  function untilNone(isOfThese: (response: ServerResponse) => boolean, ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      whenChanged = () => {
        if ([...unanswered].some(isOfThese)) return
        clearTimeout(timer)
        resolve()
      }
      whenChanged()
    })
  }

  return async () => {
    app.server.close()
    await untilNone(response => !isStream(response), graceMs)
    for (const response of unanswered) if (isStream(response)) response.end()
    await untilNone(isStream, endMs)
    await app.close()
  }
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}

/**
 * Returns an address of the dashboard that signs in. The token is in the fragment, which browsers do not send, so it
 * reaches no log. The page removes it from the address at once.
 */
export function signInUrl(dashboardUrl: string, token: string): string {
  return `${dashboardUrl}/#token=${encodeURIComponent(token)}`
}

/**
 * Makes a dashboard listen on the data folder's socket, which only this user can reach. Writes its address and the
 * listener's address to `service.json`, now and after each move; closing the storage removes the file. Returns a
 * function that stops following the listener; call it before `service.stop()`.
 *
 * @param app created with `hosts: null` and the token of `facts`.
 * @param onError called if the file cannot be written again.
 * @throws ServiceError `storage_unavailable`.
 */
export async function openLocalSocket(
  app: FastifyInstance,
  { folder: { socketPath }, serviceFacts }: Pick<Machine, 'folder' | 'serviceFacts'>,
  facts: Omit<ServiceFacts, 'pid' | 'socketPath'>,
  listenerChanges: Bus<ListenerStatus>,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const isFile = process.platform !== 'win32'
  const write = (listenerUrl: string) => {
    const all: ServiceFacts = { pid: process.pid, socketPath, ...facts, listenerUrl }
    return serviceFacts.write(all)
  }
  try {
    // This process owns the folder, so an existing socket was left by a killed process.
    if (isFile) await rm(socketPath, { force: true })
    await app.listen({ path: socketPath })
    if (isFile) await chmod(socketPath, 0o600)
  } catch (cause) {
    throw unavailable(`The service's socket ${socketPath} cannot be created`, cause)
  }
  // Without the file, only the command line cannot find the service. On a full disk it still serves everybody else.
  await write(facts.listenerUrl).catch(cause => {
    const error = unavailable(`${serviceFacts.location} cannot be written`, cause)
    if (!isDiskFull(cause)) throw error
    onError(error)
  })
  const inTurn = createSerialQueue()
  const stopFollowing = listenerChanges.subscribe(({ url }) => {
    if (url !== null) inTurn(() => write(url)).catch(onError)
  })
  return () => {
    stopFollowing()
    // Resolves after the pending writes.
    return inTurn(async () => {})
  }
}
