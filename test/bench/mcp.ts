/**
 * A call over MCP through the service to a receiver, against the SDK's own server with a tool that does nothing and a
 * bare request to the same receiver, in turn; each in a process of its own. Targets: less the receiver's time at most
 * 3 ms and 1.5 times the tool that does nothing; a list of 500 tools in at most 50 ms; 32 clients at once without an
 * error.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { adminToken, removeFolder, startProgram, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const Bare = z.object({ url: z.string() })

export type McpBench = {
  readonly callMs: number
  readonly receiverMs: number
  readonly noOpMs: number
  /** The call less the receiver's time, to the tool that does nothing. */
  readonly ratio: number
  readonly listMs: number
  readonly failed: number
}

const protocols = { '2026-07-28': { pin: '2026-07-28' }, '2025-11-25': 'legacy' } as const
type Protocol = keyof typeof protocols

async function connect(url: string, protocol: Protocol): Promise<Client> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: protocols[protocol] } },
  )
  const headers = { authorization: `Bearer ${adminToken}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  return client
}

/** Runs each way in turn, so that a busy moment meets all of them. @returns the median milliseconds of each. */
async function timed(ways: readonly (() => Promise<unknown>)[], times: number): Promise<number[]> {
  const milliseconds = ways.map((): number[] => [])
  for (let left = times; left > 0; left--)
    for (const [index, way] of ways.entries()) {
      const startedAt = performance.now()
      await way()
      milliseconds[index]?.push(performance.now() - startedAt)
    }
  return milliseconds.map(median)
}

async function call(client: Client, name: string): Promise<void> {
  const { isError, content } = await client.callTool({ name, arguments: { order_id: 'ORD-1' } })
  const [text] = content
  if (isError === true || text?.type !== 'text' || text.text !== '{"ok":true}')
    throw new Error('A call failed.')
}

export async function run({ rounds = 10, calls = 200, lists = 40, clients = 32 } = {}) {
  const receiver = await startProgram(['test/bench/support/bare-server.ts'], Bare)
  const noOp = await startProgram(['test/bench/support/no-op-mcp-server.ts'], Bare)
  const service = await startService()
  const agent = new Agent({ allowH2: false })
  const results: Record<string, McpBench> = {}
  try {
    const { connectionId } = service
    await service.call('PATCH', `/connections/${connectionId}`, { baseUrl: receiver.line.url })
    const actions = Array.from({ length: 500 }, (_, n) => ({
      name: `Look up ${n}`,
      description: 'Use this when somebody asks where an order is. It returns the status.',
      method: 'POST',
      path: `/orders/${n}`,
      parameters: [{ name: 'order_id', type: 'string', description: 'Number of the order', required: true }],
    }))
    await service.call('POST', '/import', { connectionId, text: JSON.stringify({ actions }) })
    const url = `${service.line.dashboardUrl}/mcp/${connectionId}`
    const direct = async () => {
      const { body } = await request(receiver.line.url, { method: 'POST', body: '{}', dispatcher: agent })
      await body.text()
    }
    for (const protocol of ['2026-07-28', '2025-11-25'] as const) {
      const ours = await connect(url, protocol)
      const theirs = await connect(noOp.line.url, protocol)
      const ways = [direct, () => call(theirs, 'no_op'), () => call(ours, 'look_up_7')]
      await timed(ways, calls)
      const medians: number[][] = [[], [], []]
      for (let round = 0; round < rounds; round++)
        for (const [index, ms] of (await timed(ways, calls)).entries()) medians[index]?.push(ms)
      const [receiverMs = [], noOpMs = [], callMs = []] = medians
      const ratios = callMs.map(
        (ms, round) => (ms - (receiverMs[round] ?? Number.NaN)) / (noOpMs[round] ?? Number.NaN),
      )
      const list = () => ours.listTools(undefined, { cacheMode: 'bypass' })
      const listMs: number[] = []
      for (let left = lists; left > 0; left--) listMs.push(...(await timed([list], 1)))
      const many = await Promise.all(Array.from({ length: clients }, () => connect(url, protocol)))
      const outcomes = await Promise.allSettled(
        many.map(async client => {
          for (let left = 20; left > 0; left--) await call(client, 'look_up_9')
        }),
      )
      const failed = outcomes.filter(({ status }) => status === 'rejected').length
      await Promise.all([...many, ours, theirs].map(client => client.close()))

      const less = callMs.map((ms, round) => ms - (receiverMs[round] ?? Number.NaN))
      console.log(`MCP ${protocol}`)
      console.log(`the receiver     ${spread(receiverMs)} ms`)
      console.log(`a no-op tool     ${spread(noOpMs)} ms`)
      console.log(`a call           ${spread(callMs)} ms`)
      console.log(`less receiver    ${spread(less)} ms   target: at most 3`)
      console.log(`to the no-op     ${spread(ratios)}   target: at most 1.5`)
      console.log(`list of 500      ${spread(listMs, 1)} ms   target: at most 50`)
      console.log(`${clients} clients       ${failed} failed   target: 0`)
      results[protocol] = {
        callMs: median(callMs),
        receiverMs: median(receiverMs),
        noOpMs: median(noOpMs),
        ratio: median(ratios),
        listMs: median(listMs),
        failed,
      }
    }
    return results
  } finally {
    await agent.destroy()
    await Promise.all([receiver.stop(), noOp.stop(), service.stop()])
    removeFolder(service.folder)
  }
}

if (import.meta.main) await run()
