import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { DesktopOptions } from '#main/desktop/app-service.ts'
import { startDesktop } from '#main/desktop/desktop.ts'
import type { PortPart } from '#main/desktop/electron-parts.ts'
import type { WindowContract } from '#shared/contract/desktop.ts'
import { desktopDefaults } from '#shared/model/desktop.ts'
import { createLogRecorder, type LogRecorder } from '../support/log-recorder.ts'
import { startOfTests } from '../support/service-fixture.ts'
import { createElectronStandIn, type ElectronStandIn, type WindowStandIn } from './electron-stand-in.ts'

export type WindowClient = ContractRouterClient<WindowContract>

export type AppFixture = {
  readonly electron: ElectronStandIn
  readonly dataFolder: string
  readonly home: string
  readonly log: LogRecorder
  readonly clock: { now: number }
  /** Timers that were asked for and not called off: milliseconds, and what they do. */
  readonly timers: { ms: number; fire(): void }[]
  /** Resolves when everything runs, or the app is about to quit. */
  readonly started: Promise<void>
  /** The window that was opened last. */
  window(): WindowStandIn
  /** The client that the page of this window uses. */
  client(): WindowClient
  /** Quits as the user does. @returns the exit status. */
  quit(): Promise<number>
}

export type AppFixtureOptions = {
  readonly options?: Partial<DesktopOptions>
  /** Before the app starts. */
  readonly prepare?: (electron: ElectronStandIn) => void
  /** One that another app has left behind. */
  readonly dataFolder?: string
}

const prefix = join(tmpdir(), 'cc-desktop-')

/** A folder that goes with the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(prefix)
  onTestFinished(() => removeFolder(folder))
  return folder
}

async function removeFolder(folder: string): Promise<void> {
  // And what the app puts beside a data folder.
  for (const path of [folder, `${folder}-window`]) await rm(path, { recursive: true, force: true })
}

/** The desktop app with a real service on free ports and a stand-in for Electron, which is ready at once. */
export async function launchApp(options: AppFixtureOptions = {}): Promise<AppFixture> {
  const app = openApp(await newFolder(), options)
  // One that another instance has made quit holds nothing.
  onTestFinished(async () => {
    if (app.electron.isFirst) await app.quit()
  })
  return app
}

/**
 * Starts one app for tests of a file that neither quit nor restart it, and need no other way of starting.
 *
 * @returns a function for the beginning of a test, which returns the app with its first preferences.
 */
export function sharedApp(options: AppFixtureOptions = {}): () => Promise<AppFixture> {
  let app: AppFixture
  beforeAll(async () => {
    app = openApp(await mkdtemp(prefix), options)
    await app.started
  })
  afterAll(async () => {
    await app.quit()
    await removeFolder(app.home)
  })
  return async () => {
    await app.client().desktop.update(desktopDefaults)
    app.electron.opened.length = 0
    app.electron.saveTo = null
    return app
  }
}

function openApp(home: string, { options, prepare, dataFolder }: AppFixtureOptions): AppFixture {
  const electron = createElectronStandIn()
  electron.isMac = options?.platform === 'darwin'
  const log = createLogRecorder()
  const clock = { now: startOfTests }
  const timers: AppFixture['timers'] = []
  const ports: { close(): void }[] = []
  prepare?.(electron)
  const folder = dataFolder ?? join(home, 'data')
  const started = startDesktop(electron.parts, {
    dataFolder: folder,
    listener: { host: '127.0.0.1', port: 0 },
    dashboard: { host: '127.0.0.1', port: 0 },
    rendererFolder: join(home, 'renderer'),
    preloadFile: '/app/out/preload/index.cjs',
    iconFolder: '/app/resources/icons',
    argv: ['/usr/bin/custom-connection'],
    command: ['/usr/bin/custom-connection'],
    platform: 'linux',
    env: {},
    home,
    logger: log.logger,
    clock: () => clock.now,
    random: randomBytes,
    setTimer(callback, ms) {
      const timer = { ms, fire: callback }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
    onReady: () => {},
    ...options,
  })
  electron.ready()

  const exited = once(electron.app, 'exit')
  async function quit(): Promise<number> {
    if (!electron.calls.some(call => call.startsWith('exit'))) {
      await started
      for (const port of ports) port.close()
      electron.parts.app.quit()
    }
    const [status] = await exited
    return Number(status)
  }

  const window = () => {
    const last = electron.windows.at(-1)
    if (last === undefined) throw new Error('No window was opened.')
    return last
  }
  return {
    electron,
    dataFolder: folder,
    home,
    log,
    clock,
    timers,
    started,
    quit,
    window,
    client() {
      const { port1, port2 } = new MessageChannel()
      ports.push(port1, port2)
      electron.connect({ senderFrame: window().webContents.mainFrame, ports: [asElectronPort(port2)] })
      return createORPCClient(new RPCLink({ port: port1 }))
    },
  }
}

/** Electron's ports hand out events, Node's the bare message. */
export function asElectronPort(port: import('node:worker_threads').MessagePort): PortPart {
  return {
    start: () => port.start(),
    close: () => port.close(),
    postMessage: data => port.postMessage(data),
    on: (event, callback) => port.on(event, (data: unknown) => callback({ data })),
  }
}
