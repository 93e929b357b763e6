import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createDashboard } from '#main/dashboard/dashboard.ts'
import { openSessions } from '#main/dashboard/sessions.ts'
import { createService } from '#main/service.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { createRest, type Rest } from '../support/rest-client.ts'
import { startDemoReceiver } from './demo-receiver.ts'
import { seed } from './seed.ts'

const token = 'admin-token-of-the-demonstration'
const hourMs = 3_600_000

export type Demo = {
  /** The dashboard's address, and the one that signs in at once. */
  readonly url: string
  readonly signInUrl: string
  readonly listenerUrl: string
  /** REST with the admin token. */
  readonly rest: Rest
  /** Ids of the connections by name. */
  readonly connections: ReadonlyMap<string, string>
  close(): Promise<void>
}

/**
 * A real service with a day behind it, for screenshots: connections, events and calls as an integrator would
 * have them, made by signed requests while its clock went through the last 24 hours.
 *
 * @param options.rendererFolder the built dashboard.
 * @param options.empty nothing seeded: a first run.
 */
export async function startDemo(options: {
  readonly rendererFolder: string
  readonly empty?: boolean
}): Promise<Demo> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cc-demo-'))
  const { logger } = createLogRecorder()
  let behindMs = options.empty === true ? 0 : 24 * hourMs
  const clock = () => Date.now() - behindMs
  const service = await createService({
    dataFolder,
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    tls: null,
    env: { WMS_BASIC_AUTH: 'demonstration-value-1' },
    logger,
    clock,
    random: randomBytes,
  })
  const sessions = await openSessions({
    file: service.folder.sessionsFile,
    token,
    clock,
    random: randomBytes,
    onProblem: error => {
      throw error
    },
  })
  const dashboard = await createDashboard({
    router: service.router,
    isHealthy: service.isHealthy,
    backups: service.backups,
    logger,
    token,
    hosts: { listenHost: '127.0.0.1', allowed: [] },
    tls: null,
    sessions,
    rendererFolder: options.rendererFolder,
  })
  const listenerUrl = await service.start()
  const url = await dashboard.listen({ host: '127.0.0.1', port: 0 })
  const receiver = await startDemoReceiver()
  const rest = createRest(() => url, token)
  if (options.empty !== true)
    await seed({
      rest,
      receiverUrl: receiver.url,
      clock,
      hoursAgo(hours) {
        behindMs = hours * hourMs
      },
    })
  behindMs = 0
  const { body } = await rest('GET', '/connections')
  const rows = z.array(z.object({ connectionId: z.string(), name: z.string() })).parse(body)
  return {
    url,
    signInUrl: `${url}/#token=${token}`,
    listenerUrl,
    rest,
    connections: new Map(rows.map(({ name, connectionId }) => [name, connectionId])),
    async close() {
      await dashboard.close()
      await service.stop()
      receiver.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
