import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { AppService, AppServiceOptions } from './app-service.ts'
import type { DesktopFile } from './desktop-file.ts'

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
