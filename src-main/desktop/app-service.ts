import type { FastifyInstance } from 'fastify'
import { keptAdminToken } from '#main/cli/admin-token.ts'
import { closeGently } from '#main/cli/close-gently.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { createDashboard } from '#main/dashboard/dashboard.ts'
import { openLocalSocket } from '#main/dashboard/local-socket.ts'
import { openSessions } from '#main/dashboard/sessions.ts'
import { listenError, urlOf } from '#main/listen-on.ts'
import type { Logger } from '#main/logger.ts'
import { createService, type Service } from '#main/service.ts'
import type { Keychain } from '#main/store/keychain.ts'
import { createTurns } from '#main/turns.ts'
import { ServiceError } from '#shared/errors.ts'

export type AppServiceOptions = {
  readonly dataFolder: string
  /** The inbound listener's, where the configuration keeps no other. */
  readonly listener: { readonly host: string; readonly port: number }
  /** Where the dashboard is on TCP, when it is. */
  readonly dashboard: { readonly host: string; readonly port: number }
  readonly rendererFolder: string
  readonly keychain: Keychain
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
}

/** The service as the desktop app runs it: answering on the data folder's socket, and on TCP when wanted. */
export type AppService = {
  readonly service: Service
  /** Why the listener did not get its address; null when it did. The dashboard can give it another. */
  readonly listenProblem: ServiceError | null
  /** Null while the dashboard is not on TCP. */
  dashboardUrl(): string | null
  /** @throws ServiceError `port_in_use`, `address_unavailable`. */
  setDashboard(isOn: boolean): Promise<void>
  /** Stops accepting, finishes what is under way, flushes. */
  stop(): Promise<void>
}

/** @throws ServiceError what `createService` throws; all is closed then. */
export async function startAppService(options: AppServiceOptions): Promise<AppService> {
  const { dataFolder, listener, keychain, env, logger, clock, random } = options
  const service = await createService({
    ...{ dataFolder, ...listener, keychain, env, logger, clock, random },
    publicUrl: null,
    tls: null,
  })
  const closers: (() => Promise<void>)[] = []
  let dashboard: { readonly url: string; readonly close: () => Promise<void> } | null = null
  const inTurn = createTurns()
  const setDashboard = (isOn: boolean) =>
    inTurn(async () => {
      if (isOn === (dashboard !== null)) return
      if (isOn) dashboard = await openDashboard(service, options)
      else {
        await dashboard?.close()
        dashboard = null
      }
    })
  async function stop(): Promise<void> {
    await Promise.all([setDashboard(false), ...closers.map(close => close())])
    await service.stop()
  }
  try {
    closers.push(await answerLocally(service, options))
    const listenProblem = await startListener(service)
    return { service, listenProblem, dashboardUrl: () => dashboard?.url ?? null, setDashboard, stop }
  } catch (error) {
    await stop().catch(err => logger.error({ err }, 'Stopping failed'))
    throw error
  }
}

/** A busy port is no reason not to open the window, where the port can be changed. */
async function startListener(service: Service): Promise<ServiceError | null> {
  try {
    await service.start()
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

/** On the data folder's socket, for the command line. */
async function answerLocally(
  service: Service,
  { random, logger }: AppServiceOptions,
): Promise<() => Promise<void>> {
  const { router, isHealthy, backups, folder, listenerStatus, listenerChanges } = service
  const token = random(32).toString('base64url')
  const app = await createDashboard({
    ...{ router, isHealthy, backups, logger, token },
    hosts: null,
    tls: null,
    sessions: null,
    rendererFolder: null,
  })
  const close = closeGently(app)
  // Where it will be, or would: it starts after this, and says where it is.
  const { host, port, url } = listenerStatus()
  const facts = { token, listenerUrl: url ?? `http://${host}:${port}`, dashboardUrl: null }
  const onError = (err: unknown) => logger.error({ err }, 'Where the listener is cannot be written down')
  const stopFollowing = await openLocalSocket(app, folder, facts, listenerChanges, onError)
  return async () => {
    await stopFollowing()
    await close()
  }
}

async function openDashboard(service: Service, options: AppServiceOptions) {
  const { router, isHealthy, backups, folder } = service
  const { dashboard, rendererFolder, logger, clock, random } = options
  const token = await keptAdminToken(folder.adminTokenFile, random)
  const sessions = await openSessions({
    ...{ token, clock, random },
    file: folder.sessionsFile,
    onProblem: err => logger.warn({ err }, 'Who is signed in cannot be kept over a restart'),
  })
  const app = await createDashboard({
    ...{ router, isHealthy, backups, logger, token, sessions, rendererFolder },
    hosts: { listenHost: dashboard.host, allowed: [] },
    tls: null,
  })
  const close = closeGently(app)
  return { url: await listen(app, dashboard.host, dashboard.port), close }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
  const [address] = app.addresses()
  if (address === undefined || typeof address === 'string')
    throw new Error('A TCP server has an address and a port.')
  return urlOf(address, 'http')
}
