import { chmod, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Bus } from '#main/lib/bus.ts'
import { isDiskFull, messageOf } from '#main/lib/file-system.ts'
import { listenError, urlOf } from '#main/lib/listen-on.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import type { Service } from '#main/service.ts'
import type { ServiceFacts } from '#main/storage/service-facts.ts'
import type { Storage } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ListenerStatus } from '#shared/model/service.ts'
import { createDashboard } from './dashboard.ts'
import { openSessions } from './sessions.ts'

export type OpenDashboardOptions = {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Further names that it answers to. */
  readonly allowedHosts: readonly string[]
  /** The admin token. */
  readonly token: string
  readonly tls: TlsFiles | null
  /** Null where the dashboard has not been built. */
  readonly rendererFolder: string | null
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
}

export type OpenDashboard = {
  /** Its base URL. */
  readonly url: string
  /** Stops accepting, lets what is under way be answered, then closes. */
  close(): Promise<void>
}

/**
 * Has a service answer on TCP: REST, and the dashboard to browsers.
 *
 * @throws ServiceError `port_in_use`, `address_unavailable`; all is closed then.
 */
export async function openDashboard(service: Service, options: OpenDashboardOptions): Promise<OpenDashboard> {
  const { host, port, allowedHosts, token, tls, rendererFolder, logger, clock, random } = options
  const { router, isHealthy, backups, storage } = service
  const sessions = await openSessions({
    ...{ token, clock, random },
    document: storage.sessions,
    onProblem: err => logger.warn({ err }, 'Who is signed in cannot be kept over a restart'),
  })
  const app = await createDashboard({
    ...{ router, isHealthy, backups, logger, token, tls, sessions, rendererFolder, clock, random },
    hosts: { listenHost: host, allowed: allowedHosts },
  })
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
  return { url: urlOf(address, tls === null ? 'http' : 'https'), close }
}

export type AnswerLocallyOptions = {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly logger: Logger
}

/**
 * Has a service answer REST on the data folder's socket, for the command line, and says in the data folder
 * where it is.
 *
 * @param dashboardUrl of the dashboard on TCP; null where there is none.
 * @returns the function that ends it once what is under way is answered; to be called before `service.stop()`.
 * @throws ServiceError `storage_unavailable`; all is closed then.
 */
export async function answerLocally(
  service: Service,
  dashboardUrl: string | null,
  { clock, random, logger }: AnswerLocallyOptions,
): Promise<() => Promise<void>> {
  const { router, isHealthy, backups, storage, listenerStatus, listenerChanges } = service
  const token = random(32).toString('base64url')
  const app = await createDashboard({
    ...{ router, isHealthy, backups, logger, token, clock, random },
    hosts: null,
    tls: null,
    sessions: null,
    rendererFolder: null,
  })
  const close = closeGently(app)
  // Where it will be, or would, if it does not listen yet: when it does, it is written down again.
  const { host, port, url } = listenerStatus()
  const facts = { token, listenerUrl: url ?? urlOf({ address: host, port }, 'http'), dashboardUrl }
  const onError = (err: unknown) => logger.error({ err }, 'Where the listener is cannot be written down')
  try {
    const stopFollowing = await openLocalSocket(app, storage.folder, facts, listenerChanges, onError)
    return async () => {
      await stopFollowing()
      await close()
    }
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Milliseconds that requests under way are given to finish. */
const graceMs = 5000

/**
 * Follows the requests of a dashboard from now on.
 *
 * @returns the function that closes it: it stops accepting, lets what is under way be answered, and then
 *   ends what has no end of its own, such as the activity feed.
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

  return async () => {
    app.server.close()
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, graceMs)
      whenChanged = () => {
        if ([...unanswered].some(response => !isStream(response))) return
        clearTimeout(timer)
        resolve()
      }
      whenChanged()
    })
    await app.close()
  }
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}

/**
 * The dashboard's address that signs whoever opens it in. The token is in the fragment, which no browser
 * sends and no log sees; the page takes it out of the address at once.
 */
export function signInUrl(dashboardUrl: string, token: string): string {
  return `${dashboardUrl}/#token=${encodeURIComponent(token)}`
}

/**
 * Lets a dashboard answer on the data folder's own socket, which only this user can reach, and writes down
 * how to reach it, and where the listener is, now and whenever it has moved. Closing the storage removes that.
 *
 * @param app made with `hosts: null` and the token of `facts`.
 * @param onError is told when that cannot be written again.
 * @returns the function that stops following the listener; to be called before `service.stop()`.
 * @throws ServiceError `storage_unavailable`.
 */
export async function openLocalSocket(
  app: FastifyInstance,
  { socketPath, serviceFacts }: Storage['folder'],
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
    // One that is there was left by a process that was killed: the folder is ours.
    if (isFile) await rm(socketPath, { force: true })
    await app.listen({ path: socketPath })
    if (isFile) await chmod(socketPath, 0o600)
  } catch (cause) {
    const detail = `The service's socket, ${socketPath}, cannot be made: ${messageOf(cause)}`
    throw new ServiceError('storage_unavailable', { detail, cause })
  }
  // Without it only the command line does not find the service: no reason not to serve on a full disk.
  await write(facts.listenerUrl).catch(error => {
    if (!isDiskFull(error)) throw notWritten(serviceFacts.location, error)
    onError(notWritten(serviceFacts.location, error))
  })
  const inTurn = createSerialQueue()
  const stopFollowing = listenerChanges.subscribe(({ url }) => {
    if (url !== null) inTurn(() => write(url)).catch(onError)
  })
  return () => {
    stopFollowing()
    return inTurn(async () => {}) // once what is being written is
  }
}

function notWritten(location: string, cause: unknown): ServiceError {
  const detail = `${location} cannot be written: ${messageOf(cause)}`
  return new ServiceError('storage_unavailable', { detail, cause })
}
