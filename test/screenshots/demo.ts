import { z } from 'zod'
import type { Rest } from '../support/rest-client.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { adminToken, openService } from '../support/service-fixture.ts'
import { openDemoReceiver } from './demo-receiver.ts'
import { seed } from './seed.ts'
import { seedAssistant } from './seed-assistant.ts'
import { seedConversations } from './seed-conversations.ts'

const hourMs = 3_600_000

export type Demo = {
  /** The dashboard's address, and the one that signs in at once. */
  readonly url: string
  readonly signInUrl: string
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
  let behindMs = options.empty === true ? 0 : 24 * hourMs
  const clock = () => Date.now() - behindMs
  const model = await startScriptedModel()
  // Nothing listens at the port of a server that was closed.
  const closed = await startScriptedModel()
  await closed.close()
  const service = await openService({
    service: {
      clock,
      env: { WMS_BASIC_AUTH: 'demonstration-value-1' },
      modelServers: { ollama: model.origin, lm_studio: closed.origin },
    },
    dashboard: { rendererFolder: options.rendererFolder },
  })
  const { rest, dashboardUrl: url } = service
  const receiver = await openDemoReceiver()
  const hoursAgo = (hours: number) => {
    behindMs = hours * hourMs
  }
  let disconnect = async () => {}
  if (options.empty !== true) {
    const { day, newest } = await seed({ rest, receiverUrl: receiver.url, clock, hoursAgo })
    const conversations = await seedConversations({ rest, model, hoursAgo })
    await conversations.before()
    await day()
    disconnect = await seedAssistant({ rest, dashboardUrl: url, hoursAgo })
    await conversations.now()
    await newest()
  }
  behindMs = 0
  await service.service.alerts.step()
  const { body } = await rest('GET', '/connections')
  const rows = z.array(z.object({ connectionId: z.string(), name: z.string() })).parse(body)
  return {
    url,
    signInUrl: `${url}/#token=${adminToken}`,
    rest,
    connections: new Map(rows.map(({ name, connectionId }) => [name, connectionId])),
    async close() {
      await disconnect()
      await service.close()
      await model.close()
      receiver.close()
    },
  }
}
