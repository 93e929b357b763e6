import { randomBytes } from 'node:crypto'
import { answerLocally } from '#main/http/answer-locally.ts'
import { openDashboard } from '#main/http/open-dashboard.ts'
import { rendererFolder } from '#main/http/renderer-folder.ts'
import { signInUrl } from '#main/http/sign-in-url.ts'
import { openTlsFiles } from '#main/lib/tls-files.ts'
import { createService } from '#main/service.ts'
import { minAdminTokenLength } from '#main/storage/local/admin-token.ts'
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
  /** Whether a kept one may be short. */
  readonly insecureAdminToken: boolean
  readonly publicUrl?: string | undefined
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly logLevel: LogLevel
  /** Called when another process has taken the data folder; see `ServiceOptions`. */
  readonly onFolderLost: () => void
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
  const tls =
    options.tls &&
    openTlsFiles(options.tls.certFile, options.tls.keyFile, err =>
      logger.warn({ err }, 'The changed certificate is not used'),
    )
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
    onFolderLost: options.onFolderLost,
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
    const { adminToken, folder } = service.storage
    const minLength = options.insecureAdminToken ? 1 : minAdminTokenLength
    const token = options.adminToken ?? (await adminToken.read(minLength))
    const listenerUrl = await service.start()
    const dashboard = await openDashboard(service, {
      host: options.dashboardHost,
      port: options.dashboardPort,
      allowedHosts: options.allowedHost,
      ...{ token, tls, logger },
      rendererFolder: rendererFolder(import.meta.dirname),
      clock: Date.now,
      random: randomBytes,
    })
    closers.push(dashboard.close)
    const dashboardUrl = dashboard.url
    closers.push(await answerLocally(service, dashboardUrl, { clock: Date.now, random: randomBytes, logger }))

    logger.info(
      { listenerUrl, dashboardUrl, pid: process.pid, dataFolder: folder.path },
      'Accepting requests',
    )
    return {
      listenerUrl,
      dashboardUrl,
      signInUrl: signInUrl(dashboardUrl, token),
      adminTokenFile: options.adminToken === null ? adminToken.location : null,
      stop,
    }
  } catch (error) {
    await stop().catch(err => logger.error({ err }, 'Stopping failed'))
    throw error
  }
}
