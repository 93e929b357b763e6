import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createDashboard, type DashboardOptions } from '#main/http/dashboard.ts'
import { createSessions } from '#main/http/sessions.ts'
import { assembleService, historyBounds, type Service, type ServiceOptions } from '#main/service.ts'
import type { Config } from '#main/storage/config.ts'
import { openStorage } from '#main/storage/open-storage.ts'
import type { OpenedStorage, Storage } from '#main/storage/storage.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { hmacHex } from '../signing/sender.ts'
import { freePort } from './free-port.ts'
import { createLogRecorder, type LogRecorder } from './log-recorder.ts'
import { unhurried } from './patience.ts'
import { createRest, type Rest, type RestAnswer } from './rest-client.ts'

/** When every fixture's clock starts, in milliseconds since 1970. */
export const startOfTests = Date.parse('2026-11-21T09:30:00.000Z')
export const adminToken = 'admin-token-of-the-tests-0123456789'

export type ServiceFixtureOptions = {
  /** The service is assembled on this storage, instead of one in a folder of its own. */
  readonly opened?: OpenedStorage
  /** Returns the storage as the service has it. */
  readonly of?: (storage: Storage) => Storage
  readonly service?: Partial<ServiceOptions>
  readonly dashboard?: Partial<DashboardOptions>
  /** Parts of the service that the dashboard gets instead of the real ones. */
  readonly parts?: Partial<DashboardOptions['service']>
}

/** A running service with its dashboard; addresses change when it is restarted. */
export type ServiceFixture = {
  readonly service: Service
  readonly dataFolder: string
  readonly listenerUrl: string
  readonly dashboardUrl: string
  /** Calls REST with the admin token: `rest('GET', '/connections')`. */
  readonly rest: Rest
  /** Set `now` to move the clock of the service. */
  readonly clock: { now: number }
  /** Everything that was logged, at debug level. */
  readonly log: LogRecorder
  /** Stops it and starts it again on the same data folder; the dashboard on a free port unless one is given. */
  restart(dashboardPort?: number): Promise<void>
  stop(): Promise<void>
  /** Stops it and removes its folder. */
  close(): Promise<void>
}

type Running = { service: Service; dashboard: FastifyInstance; listenerUrl: string; dashboardUrl: string }

/** A real service on free ports in a temporary folder, for this test alone; gone when it has finished. */
export async function startService(options: ServiceFixtureOptions = {}): Promise<ServiceFixture> {
  const fixture = await openService(options)
  onTestFinished(() => fixture.close())
  return fixture
}

/**
 * Starts one service for the tests of a file, since its threads take longer to start than most tests to run.
 *
 * @returns a function for the beginning of a test, which returns the service with its first configuration, clock
 *   and an empty log. What was seen, such as activity and refused requests, stays: a test of that needs a service
 *   of its own.
 */
export function sharedService(options: ServiceFixtureOptions = {}): () => Promise<ServiceFixture> {
  let fixture: ServiceFixture
  let first: Config
  beforeAll(async () => {
    fixture = await openService(options)
    first = fixture.service.storage.config.snapshot()
  })
  afterAll(() => fixture.close())
  return async () => {
    fixture.clock.now = startOfTests
    await fixture.service.storage.config.update(() => ({ next: first, result: undefined }))
    fixture.log.lines.length = 0
    return fixture
  }
}

/** For several tests; the caller closes it. */
export async function openService(options: ServiceFixtureOptions = {}): Promise<ServiceFixture> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cc-service-'))
  const clock = { now: startOfTests }
  const log = createLogRecorder()

  async function run(dashboardPort?: number): Promise<Running> {
    const token = options.dashboard?.token ?? adminToken
    const serviceOptions: ServiceOptions = {
      dataFolder,
      adminToken: token,
      host: '127.0.0.1',
      port: 0,
      publicUrl: null,
      tls: null,
      env: {},
      logger: log.logger,
      clock: () => clock.now,
      random: randomBytes,
      onFolderLost: () => {},
      // Each of the many services of the tests would write 16 MiB.
      reserveBytes: 0,
      ...unhurried,
      ...options.service,
    }
    const opened = options.opened ?? (await openStorage({ ...serviceOptions, historyBounds, lanesOf }))
    const storage = options.of?.(opened.storage) ?? opened.storage
    const service = await assembleService(serviceOptions, { ...opened, storage })
    const sessions = createSessions(service.storage.sessions, token, randomBytes)
    const dashboard = await createDashboard({
      service: { ...service, ...options.parts },
      logger: log.logger,
      token,
      sessions,
      clock: () => clock.now,
      random: randomBytes,
      rendererFolder: null,
      hosts: { listenHost: '127.0.0.1', allowed: [] },
      tls: null,
      ...options.dashboard,
    })
    const listenerUrl = await service.start()
    const port = dashboardPort ?? (await freePort())
    const dashboardUrl = await dashboard.listen({ host: '127.0.0.1', port })
    return { service, dashboard, listenerUrl, dashboardUrl }
  }

  let running: Running | null = await run()
  async function stop(): Promise<void> {
    const stopping = running
    running = null
    await stopping?.dashboard.close()
    await stopping?.service.stop()
  }
  function current(): Running {
    if (running === null) throw new Error('The service of this test is stopped.')
    return running
  }
  return {
    dataFolder,
    clock,
    log,
    get service() {
      return current().service
    },
    get listenerUrl() {
      return current().listenerUrl
    },
    get dashboardUrl() {
      return current().dashboardUrl
    },
    rest: createRest(() => current().dashboardUrl, adminToken),
    stop,
    async restart(dashboardPort) {
      await stop()
      running = await run(dashboardPort)
    },
    async close() {
      await stop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

export type TestCredentials = { readonly inboundUrl: string; readonly signingSecret: string }

/** Posts an event as an external system would, signed at `nowMs` with the connection's secret. */
export async function postInbound(
  { inboundUrl, signingSecret }: TestCredentials,
  body: string,
  nowMs: number = startOfTests,
  more: Readonly<Record<string, string>> = {},
): Promise<RestAnswer> {
  const response = await fetch(inboundUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-timestamp': String(nowMs),
      'x-service-signature': `sha256=${hmacHex(signingSecret, `${nowMs}.${body}`)}`,
      ...more,
    },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}
