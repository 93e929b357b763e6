/**
 * 240,000 fuzzed events against an oracle of its own, and 25,000 fuzzed REST calls: no answer may differ from what
 * the oracle says, no call may get a 5xx, and every event answered 200 is stored.
 */
import { z } from 'zod'
import { createRandom } from '../support/fuzz/random.ts'
import { fuzzInbound } from '../support/fuzz/run-inbound.ts'
import { fuzzRest } from '../support/fuzz/run-rest.ts'
import { adminToken, type RunningService, removeFolder, startService } from './support/processes.ts'
import { readStored } from './support/stored-events.ts'

export type FuzzBenchResult = {
  readonly events: number
  readonly accepted: number
  readonly stored: number
  readonly restCalls: number
  readonly wrong: readonly string[]
}

const Created = z.object({
  connectionId: z.string(),
  credentials: z.object({ inboundToken: z.string(), signingSecret: z.string() }),
})
/** @param seed chooses the requests; the same one makes the same again. */
export async function run({
  events = 240_000,
  restCalls = 25_000,
  seed = Date.now(),
} = {}): Promise<FuzzBenchResult> {
  const random = createRandom(seed)
  const service = await startService()
  try {
    const enabled = await create(service, 'On')
    const disabled = await create(service, 'Off')
    await service.call('PATCH', `/connections/${disabled.connectionId}`, { enabled: false })
    const { hostname, port } = new URL(service.inboundUrl)
    const inbound = await fuzzInbound({
      address: { host: hostname, port: Number(port) },
      world: {
        connections: new Map([
          [enabled.account.token, { enabled: true, secret: enabled.account.secret }],
          [disabled.account.token, { enabled: false, secret: disabled.account.secret }],
        ]),
        maxBodyBytes: 1024 * 1024,
      },
      accounts: [enabled.account, enabled.account, enabled.account, disabled.account],
      random,
      requests: events,
      now: Date.now,
    })
    const stored = (await readStored(service, enabled.connectionId)).length
    const baseUrl = `${service.line.dashboardUrl}/api/v1`
    const rest = await fuzzRest({ baseUrl, token: adminToken, random, requests: restCalls })
    const health = await fetch(`${service.line.dashboardUrl}/healthz`)
    const accepted = inbound.codes.ok ?? 0
    console.log(`seed ${seed}`)
    console.log(`${inbound.answered} events   ${accepted} accepted, ${stored} of them stored`)
    console.log(
      `${rest.answered} REST calls   ${JSON.stringify(rest.statuses)}, then /healthz ${health.status}`,
    )
    const wrong = [...inbound.wrong, ...rest.wrong]
    console.log(`answers that are wrong   ${wrong.length}   target: 0`)
    for (const one of wrong) console.log(`  ${one}`)
    return { events: inbound.answered, accepted, stored, restCalls: rest.answered, wrong }
  } finally {
    await service.stop()
    removeFolder(service.folder)
  }
}

async function create(service: RunningService, name: string) {
  const made = Created.parse(await service.call('POST', '/connections', { name, persistEvents: true }))
  const { inboundToken: token, signingSecret: secret } = made.credentials
  const retention = { maxEvents: 10_000_000, maxDays: 3650 }
  await service.call('PATCH', `/connections/${made.connectionId}`, { retention })
  return { connectionId: made.connectionId, account: { token, secret } }
}

if (import.meta.main) await run()
