import type { RandomBytes } from '#main/connections/identifiers.ts'
import { answerLocally, type OpenDashboard, openDashboard } from '#main/http/open-dashboard.ts'
import type { Logger } from '#main/lib/logger.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createService, type Service } from '#main/service.ts'
import type { Keychain } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import type { DesktopFile } from './desktop-file.ts'

type AppServiceOptions = {
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
  /** Called when another process has taken the data folder; see `ServiceOptions`. */
  readonly onFolderLost: () => void
}

/** The service as the desktop app runs it: answering on the data folder's socket, and on TCP when wanted. */
type AppService = {
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
  const { dataFolder, listener, keychain, env, logger, clock, random, onFolderLost } = options
  const service = await createService({
    ...{ dataFolder, ...listener, keychain, env, logger, clock, random, onFolderLost },
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

async function openOnTcp(service: Service, options: AppServiceOptions): Promise<OpenDashboard> {
  const { dashboard, rendererFolder, logger, clock, random } = options
  const token = await service.storage.adminToken.read()
  return openDashboard(service, {
    ...{ ...dashboard, token, rendererFolder, logger, clock, random },
    allowedHosts: [],
    tls: null,
  })
}

/** What the desktop app is started with: where its files are, and the world it runs in. */
export type DesktopOptions = {
  readonly dataFolder: string
  readonly listener: AppServiceOptions['listener']
  readonly dashboard: AppServiceOptions['dashboard']
  /** The built dashboard, the built preload, and the icons. */
  readonly rendererFolder: string
  readonly preloadFile: string
  readonly iconFolder: string
  readonly argv: readonly string[]
  /** What starts this app again, without arguments of its own. */
  readonly command: readonly [string, ...string[]]
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Calls back after so many milliseconds. @returns the function that calls it off. */
  readonly setTimer: (callback: () => void, ms: number) => () => void
  /** Told once there is a desktop to show something on. */
  readonly onReady: () => void
}

/** What is there once the service runs. */
export type Started = {
  readonly appService: AppService
  readonly file: DesktopFile
  readonly keychain: AppServiceOptions['keychain']
}
