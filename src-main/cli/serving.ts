import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createDashboard } from '#main/dashboard/dashboard.ts'
import { openLocalSocket } from '#main/dashboard/local-socket.ts'
import { rendererFolder } from '#main/dashboard/renderer-folder.ts'
import { openSessions } from '#main/dashboard/sessions.ts'
import { signInUrl } from '#main/dashboard/sign-in-url.ts'
import { listenError, urlOf } from '#main/listen-on.ts'
import { createService, type Service } from '#main/service.ts'
import { openTlsFiles, type TlsFiles } from '#main/tls-files.ts'
import type { ServiceError } from '#shared/errors.ts'
import { keptAdminToken } from './admin-token.ts'
import { closeGently } from './close-gently.ts'
import type { LogLevel } from './log-levels.ts'
import { createLogger } from './logger.ts'

export type ServingOptions = {
  readonly dataFolder: string
  readonly host: string
  readonly port: number
  /** Which of the two were given on the command line; the others are for when no other is kept. */
  readonly given: { readonly host: boolean; readonly port: boolean }
  readonly dashboardHost: string
  readonly dashboardPort: number
  readonly allowedHost: readonly string[]
  /** Null has one generated and kept in the data folder. */
  readonly adminToken: string | null
  readonly publicUrl?: string | undefined
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly logLevel: LogLevel
}

export type Serving = {
  readonly listenerUrl: string
  readonly dashboardUrl: string
  /** The dashboard's address for a first visit, the admin token in its fragment: a secret. */
  readonly signInUrl: string
  /** Where the admin token is kept; null when it was given. */
  readonly adminTokenFile: string | null
  /** Stops accepting, finishes what is under way, flushes. */
  stop(): Promise<void>
}

/**
 * Starts the headless service: the inbound listener, the dashboard on TCP and on the data folder's socket.
 *
 * @throws ServiceError what `createService` throws, `port_in_use`, `address_unavailable`,
 *   `invalid_certificate`; all is closed then.
 */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const logger = createLogger(options.logLevel)
  const tls = openTls(options, error => logger.warn({ err: error }, 'The changed certificate is not used'))
  const service = await createService({
    dataFolder: options.dataFolder,
    host: options.host,
    port: options.port,
    given: options.given,
    publicUrl: options.publicUrl ?? null,
    tls,
    env: process.env,
    logger,
    clock: Date.now,
    random: randomBytes,
  }).catch(error => {
    tls?.close()
    throw error
  })
  const closers: (() => Promise<void>)[] = []
  async function stop(): Promise<void> {
    logger.info({}, 'Stopping')
    await Promise.all(closers.map(close => close()))
    await service.stop()
    logger.info({}, 'Stopped')
  }
  try {
    const { folder } = service
    const token = options.adminToken ?? (await keptAdminToken(folder.adminTokenFile, randomBytes))
    const listenerUrl = await service.start()
    const sessions = await openSessions({
      file: folder.sessionsFile,
      token,
      clock: Date.now,
      random: randomBytes,
      onProblem: err => logger.warn({ err }, 'Who is signed in cannot be kept over a restart'),
    })
    const dashboard = await createDashboard({
      ...partsOf(service),
      logger,
      token,
      hosts: { listenHost: options.dashboardHost, allowed: options.allowedHost },
      tls,
      sessions,
      rendererFolder: rendererFolder(import.meta.dirname),
    })
    closers.push(closeGently(dashboard))
    const dashboardUrl = await listen(dashboard, options.dashboardHost, options.dashboardPort, tls)

    const socketToken = randomBytes(32).toString('base64url')
    const local = await createDashboard({
      ...partsOf(service),
      logger,
      token: socketToken,
      hosts: null,
      tls: null,
      sessions: null,
      rendererFolder: null,
    })
    closers.push(closeGently(local))
    const facts = { token: socketToken, listenerUrl, dashboardUrl }
    const onError = (err: unknown) => logger.error({ err }, 'Where the listener is cannot be written down')
    closers.push(await openLocalSocket(local, folder, facts, service.listenerChanges, onError))

    logger.info(
      { listenerUrl, dashboardUrl, pid: process.pid, dataFolder: folder.path },
      'Accepting requests',
    )
    return {
      listenerUrl,
      dashboardUrl,
      signInUrl: signInUrl(dashboardUrl, token),
      adminTokenFile: options.adminToken === null ? folder.adminTokenFile : null,
      stop,
    }
  } catch (error) {
    await stop().catch(err => logger.error({ err }, 'Stopping failed'))
    throw error
  }
}

function partsOf({ router, isHealthy, backups }: Service) {
  return { router, isHealthy, backups }
}

function openTls({ tls }: ServingOptions, onProblem: (error: ServiceError) => void): TlsFiles | null {
  return tls === null ? null : openTlsFiles(tls.certFile, tls.keyFile, onProblem)
}

/** @returns the dashboard's base URL. @throws ServiceError `port_in_use`, `address_unavailable`. */
async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  tls: TlsFiles | null,
): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    throw listenError(cause, host, port)
  }
  const [address] = app.addresses()
  if (address === undefined || typeof address === 'string')
    throw new Error('A TCP server has an address and a port.')
  return urlOf(address, tls === null ? 'http' : 'https')
}
