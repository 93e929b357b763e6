import type { RandomBytes } from '#main/connections/identifiers.ts'
import { listenError, urlOf } from '#main/lib/listen-on.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import type { Service } from '#main/service.ts'
import { closeGently } from './close-gently.ts'
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
