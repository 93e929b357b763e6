import type { RandomBytes } from '#main/connections/identifiers.ts'
import { answerLocally, type OpenDashboard, openDashboard } from '#main/http/open-dashboard.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createService, type Service } from '#main/service.ts'
import type { Keychain } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type { DesktopFile } from './desktop-file.ts'

type AppServiceOptions = Pick<
  DesktopOptions,
  | 'dataFolder'
  | 'listener'
  | 'dashboard'
  | 'rendererFolder'
  | 'command'
  | 'env'
  | 'logger'
  | 'clock'
  | 'random'
> & {
  readonly keychain: Keychain
  /** Called when another process has taken the data folder; see `ServiceOptions`. */
  readonly onFolderLost: () => void
}

/** The service of the desktop app. It answers on the data folder's socket and, if the user wants it, on TCP. */
type AppService = {
  readonly service: Service
  /** Why the listener could not take its address; null if it did. The user can change the address. */
  readonly listenProblem: ServiceError | null
  /** Null while the dashboard is not on TCP. */
  dashboardUrl(): string | null
  /** @throws ServiceError `port_in_use`, `address_unavailable`. */
  setDashboard(isOn: boolean): Promise<void>
  /** Stops accepting, finishes requests in flight, makes everything durable. */
  stop(): Promise<void>
}

/** @throws ServiceError the errors of `createService`; everything is closed then. */
export async function startAppService(options: AppServiceOptions): Promise<AppService> {
  const { dataFolder, listener, keychain, command, env, logger, clock, random, onFolderLost } = options
  const service = await createService({
    ...{ dataFolder, ...listener, keychain, command, env, logger, clock, random, onFolderLost },
    publicUrl: null,
    tls: null,
  })
  const closers: (() => Promise<void>)[] = []
  let dashboard: OpenDashboard | null = null
  const inTurn = createSerialQueue()
  const setDashboard = (isOn: boolean) =>
    inTurn(async () => {
      if (isOn === (dashboard !== null)) return
      if (isOn) dashboard = await openOnTcp(service, options)
      else {
        await dashboard?.close()
        dashboard = null
        service.assistant.setUrl(null)
      }
    })
  async function stop(): Promise<void> {
    await Promise.all([setDashboard(false), ...closers.map(close => close())])
    await service.stop()
  }
  try {
    closers.push(await answerLocally(service, null, options))
    const listenProblem = await startListener(service)
    return { service, listenProblem, dashboardUrl: () => dashboard?.url ?? null, setDashboard, stop }
  } catch (error) {
    await stop().catch(err => logger.error({ err }, 'Stopping failed'))
    throw error
  }
}

/** Returns a listen error instead of throwing it: the window opens anyway, and the user can change the port there. */
async function startListener(service: Service): Promise<ServiceError | null> {
  try {
    await service.start()
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

async function openOnTcp(service: Service, options: AppServiceOptions): Promise<OpenDashboard> {
  const { dashboard, rendererFolder, logger, clock, random } = options
  const token = await service.machine.adminToken.read()
  return openDashboard(service, {
    ...{ ...dashboard, token, rendererFolder, logger, clock, random },
    allowedHosts: [],
    tls: null,
  })
}

/** Files and surroundings of the desktop app. */
export type DesktopOptions = {
  readonly dataFolder: string
  /** The address of the inbound listener, unless the configuration has another. */
  readonly listener: { readonly host: string; readonly port: number }
  /** The address of the dashboard, if it is on TCP. */
  readonly dashboard: { readonly host: string; readonly port: number }
  /** The built dashboard, the built preload, and the icons. */
  readonly rendererFolder: string
  readonly preloadFile: string
  readonly iconFolder: string
  readonly argv: readonly string[]
  /** The command that starts this app again. */
  readonly command: readonly [string, ...string[]]
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Calls back after `ms` milliseconds. @returns the function that cancels it. */
  readonly setTimer: (callback: () => void, ms: number) => () => void
  /** Called when Electron is ready to show windows. */
  readonly onReady: () => void
}

/** The parts of a running service. */
export type Started = {
  readonly appService: AppService
  readonly file: DesktopFile
  readonly keychain: Keychain
}
