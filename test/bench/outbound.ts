/**
 * A signed call through the caller (arguments checked, a header with an environment variable, the answer
 * parsed and masked) against a bare undici request of the same bytes that reads the answer's text, in turn,
 * to the same server in a process of its own. Targets: one by one at most 1.15 of its time, and with 32 under
 * way at least 0.85 of its calls a second.
 */
import { Agent, request } from 'undici'
import { z } from 'zod'
import { actionRequest } from '#main/outbound/action-request.ts'
import { createCaller } from '#main/outbound/call.ts'
import { defaultLimits } from '#main/outbound/send.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { startProgram } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const Bare = z.object({ url: z.string() })

export type OutboundBench = {
  sequentialRatio: number
  throughputRatio: number
  microseconds: number
  bareMicroseconds: number
  perSecond: number
  barePerSecond: number
}

const given = { customer_id: 'cus_0123456789', amount: 129.9, express: true, note: 'Ring the bell, please.' }

const action: ActionFields & { readonly actionId: string } = {
  actionId: 'act_1',
  name: 'Create order',
  toolName: 'create_order',
  description: 'Creates an order.',
  method: 'POST',
  path: '/v2/orders?source=assistant',
  headers: { Authorization: 'Bearer {{API_KEY}}', 'X-Tenant': 'acme' },
  parameters: [
    { name: 'customer_id', type: 'string', description: 'Whose.', required: true },
    { name: 'amount', type: 'number', description: 'How much.', required: true },
    { name: 'express', type: 'boolean', description: 'How fast.', required: false },
    { name: 'note', type: 'string', description: 'Anything else.', required: false },
  ],
  responseMapping: { accepted: 'ok' },
  isEnabled: true,
}

/** Runs calls, so many at a time. @returns seconds. */
async function timed(call: () => Promise<unknown>, calls: number, atOnce: number): Promise<number> {
  let left = calls
  const worker = async () => {
    while (left-- > 0) await call()
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  return (performance.now() - startedAt) / 1000
}

export async function run({
  rounds = 15,
  sequential = 2000,
  concurrent = 6000,
} = {}): Promise<OutboundBench> {
  const server = await startProgram(['test/bench/support/bare-server.ts'], Bare)
  const caller = createCaller({
    environment: { resolve: name => (name === 'API_KEY' ? 'sk_live_0123456789abcdef' : undefined) },
    clock: Date.now,
    version: '0.0.0',
  })
  const connection = {
    ...{ connectionId: 'conn_1', baseUrl: server.line.url, signingSecret: 'whsec_bench-0123456789' },
    timeoutMs: 30_000,
  }
  const call = () => caller.call(actionRequest(connection, action, given, { source: 'test' }))
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: defaultLimits.headerBytes,
    keepAliveTimeout: defaultLimits.keepAliveMs,
    keepAliveTimeoutThreshold: 1000,
    keepAliveMaxTimeout: 60_000,
    connections: defaultLimits.connections,
  })
  const sent = (await call()).request
  if (sent === null) throw new Error('The call was not made.')
  const headers = { ...sent.headers, Authorization: 'Bearer sk_live_0123456789abcdef' }

  const ours = async () => {
    const { ok, mapped } = await call()
    if (!ok || mapped?.accepted !== true) throw new Error('A call failed.')
  }
  const theirs = async () => {
    const { statusCode, body } = await request(sent.url, {
      method: 'POST',
      headers,
      body: sent.body,
      dispatcher: agent,
    })
    if (statusCode !== 200 || !(await body.text()).includes('true')) throw new Error('A request failed.')
  }

  const results = {
    ours: [] as number[],
    theirs: [] as number[],
    oursPer: [] as number[],
    theirsPer: [] as number[],
  }
  try {
    for (const call of [theirs, ours]) {
      await timed(call, sequential, 1)
      await timed(call, concurrent, 32)
    }
    for (let round = 0; round < rounds; round++) {
      // The first of a round is the last of the next.
      const pairs = [
        { call: theirs, times: results.theirs, rates: results.theirsPer },
        { call: ours, times: results.ours, rates: results.oursPer },
      ]
      if (round % 2 === 1) pairs.reverse()
      for (const { call, times } of pairs) times.push(((await timed(call, sequential, 1)) / sequential) * 1e6)
      for (const { call, rates } of pairs) rates.push(concurrent / (await timed(call, concurrent, 32)))
    }
  } finally {
    await caller.close()
    await agent.destroy()
    await server.stop()
  }

  const ratios = (mine: number[], other: number[]) =>
    mine.map((value, round) => value / (other[round] ?? Number.NaN))
  const sequentialRatios = ratios(results.ours, results.theirs)
  const throughputRatios = ratios(results.oursPer, results.theirsPer)
  console.log(
    `bare undici      ${spread(results.theirs, 0)} µs one by one, ${spread(results.theirsPer, 0)} requests/s`,
  )
  console.log(
    `a signed call    ${spread(results.ours, 0)} µs one by one, ${spread(results.oursPer, 0)} calls/s`,
  )
  console.log(`time ratio       ${spread(sequentialRatios)}   target: at most 1.15`)
  console.log(`calls ratio      ${spread(throughputRatios)}   target: at least 0.85`)
  return {
    sequentialRatio: median(sequentialRatios),
    throughputRatio: median(throughputRatios),
    microseconds: median(results.ours),
    bareMicroseconds: median(results.theirs),
    perSecond: median(results.oursPer),
    barePerSecond: median(results.theirsPer),
  }
}

if (import.meta.main) await run()
