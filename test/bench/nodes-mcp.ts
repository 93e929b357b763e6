/**
 * Clients of both protocols of MCP on several nodes behind a round-robin proxy, with a connection for each request: lists,
 * calls, and calls that wait and are decided over REST on another node. Then the node that holds a call is killed.
 */
import { createServer } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import { Approval, CreatedClientToken, McpClient } from '#shared/model/assistant.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { type Nodes, startNodes } from './support/nodes.ts'
import { median } from './support/statistics.ts'
import { startDatabase } from './support/with-nodes.ts'

const versions = ['2025-06-18', '2026-07-28'] as const
type Version = (typeof versions)[number]

async function connect(nodes: Nodes, version: Version, token: string): Promise<Client> {
  const client = new Client(
    { name: `Bench ${version}`, version: '1.0.0' },
    version === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: version } } }
      : { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [version] },
  )
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const url = new URL(`${nodes.dashboardUrl}/mcp/${nodes.connectionId}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

const textOf = (result: Awaited<ReturnType<Client['callTool']>>) => JSON.stringify(result.content)

/** Calls back until it returns something else than undefined. @returns that, and the milliseconds. */
async function poll<Result>(look: () => Promise<Result | undefined>) {
  const startedAt = performance.now()
  for (;;) {
    const found = await look()
    const ms = performance.now() - startedAt
    if (found !== undefined) return { found, ms }
    if (ms > 60_000) throw new Error('What was waited for has not come.')
  }
}

async function heldOn(nodes: Nodes, index: number) {
  return z.array(Approval).parse(await nodes.at(index).call('GET', '/assistant/approvals'))
}
const decide = (nodes: Nodes, index: number, approvalId: string, decision: string) =>
  nodes.at(index).call('POST', `/assistant/approvals/${approvalId}`, { decision })

/** Returns how many of the attempts succeeded, and prints why others did not. */
async function succeeded(times: number, attempt: (index: number) => Promise<void>): Promise<number> {
  let count = 0
  for (let index = 0; index < times; index++)
    await attempt(index).then(
      () => {
        count += 1
      },
      error => console.error(error),
    )
  return count
}

function require(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

/** @param refunds returns how many calls the external system got that have to be allowed. */
async function measure(nodes: Nodes, version: Version, rounds: number, count: number, refunds: () => number) {
  const create = { name: version, connectionId: nodes.connectionId, askFirst: true }
  const { token, tokenId } = CreatedClientToken.parse(await nodes.call('POST', '/assistant/tokens', create))
  const client = await connect(nodes, version, token)
  const used = new Set<number>()
  const [callMs, decisionMs]: [number[], number[]] = [[], []]
  const refundsBefore = refunds()

  const lists = await succeeded(rounds, async () => {
    const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
    used.add(nodes.newest())
    require(tools.map(({ name }) => name).join() === 'look_up,refund', 'A list has other tools.')
  })
  const calls = await succeeded(rounds, async () => {
    const startedAt = performance.now()
    const text = textOf(await client.callTool({ name: 'look_up', arguments: {} }))
    callMs.push(performance.now() - startedAt)
    used.add(nodes.newest())
    require(text.includes('ok'), `A call has another result: ${text}`)
  })
  const decisions = await succeeded(rounds, async index => {
    const result = client.callTool({ name: 'refund', arguments: {} })
    // Handled below; until then it must not end the process.
    result.catch(() => {})
    const { found: holder } = await poll(async () => {
      const held = (await heldOn(nodes, index % count))[0]
      return held && { approvalId: held.approvalId, node: nodes.newest() }
    })
    const other = (holder.node + 1 + (index % (count - 1))) % count
    const decision = index % 2 === 0 ? 'allow' : 'decline'
    const startedAt = performance.now()
    await decide(nodes, other, holder.approvalId, decision)
    const text = textOf(await result)
    decisionMs.push(performance.now() - startedAt)
    require(text.includes(decision === 'allow' ? 'ok' : 'call_declined'), `A decision gave: ${text}`)
    const again = await decide(nodes, holder.node, holder.approvalId, decision).catch(String)
    require(String(again).includes('404'), 'A call was decided twice.')
  })
  const allowed = refunds() - refundsBefore

  const listed = async (index: number) =>
    z
      .array(McpClient)
      .parse(await nodes.at(index).call('GET', '/assistant/clients'))
      .filter(one => one.tokenId === tokenId)
  const { ms: listedMs } = await poll(async () => {
    const lists = await Promise.all(Array.from({ length: count }, (_, index) => listed(index)))
    return lists.every(([one, ...more]) => one?.calls === 2 * rounds && more.length === 0) || undefined
  })

  // Some clients notice the end of a connection only when they give up.
  const refund = { name: 'refund', arguments: {} }
  const result = client.callTool(refund, { timeout: 15_000 }).then(textOf, () => 'no result')
  const { found: held } = await poll(async () => (await heldOn(nodes, 0))[0])
  const holder = nodes.newest()
  const survivor = (holder + 1) % count
  await nodes.kill(holder)
  const { ms: endedMs } = await poll(async () => (await heldOn(nodes, survivor)).length === 0 || undefined)
  const late = await decide(nodes, survivor, held.approvalId, 'allow').catch(String)
  const goesOn = await succeeded(rounds, async () => {
    const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
    require(tools.length === 2, 'A list has other tools.')
  })
  await nodes.start(holder)
  await client.close()

  const figures: Figure[] = [
    { name: 'lists', value: lists, must: rounds },
    { name: 'calls', value: calls, must: rounds },
    { name: 'calls that another node has decided', value: decisions, must: rounds },
    { name: 'of these, calls that were allowed and made', value: allowed, must: Math.ceil(rounds / 2) },
    { name: 'nodes that have answered', value: used.size, must: count },
    { name: 'a call, median', value: median(callMs), unit: ' ms' },
    { name: 'from a decision to its result, median', value: median(decisionMs), unit: ' ms' },
    { name: 'from a decision to its result, longest', value: Math.max(...decisionMs), unit: ' ms' },
    {
      name: 'until each node lists the client with all its calls',
      value: listedMs / 1000,
      unit: ' s',
      target: 3,
    },
    { name: 'until a call of a killed node has ended', value: endedMs / 1000, unit: ' s', target: 12 },
    { name: 'such calls that can still be decided', value: String(late).includes('404') ? 0 : 1, must: 0 },
    { name: 'of these, made', value: refunds() - refundsBefore - allowed, must: 0 },
    { name: 'of these, with a result', value: (await result) === 'no result' ? 0 : 1, must: 0 },
    { name: 'lists without that node', value: goesOn, must: rounds },
  ]
  return figures
}

export async function run({ rounds = 100, nodes: count = 3 } = {}) {
  let refunds = 0
  const system = createServer((incoming, response) => {
    if (incoming.method === 'POST') refunds += 1
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  const { port } = await listenOn(system, '127.0.0.1', 0)
  const database = await startDatabase()
  const results: Record<string, readonly Figure[]> = {}
  try {
    const nodes = await startNodes(count, database.url)
    try {
      const path = `/connections/${nodes.connectionId}`
      await nodes.call('PATCH', path, { baseUrl: `http://127.0.0.1:${port}` })
      const fields = { description: 'When asked.', path: '/orders', parameters: [] }
      for (const action of [
        { ...fields, name: 'Look up', method: 'GET' },
        { ...fields, name: 'Refund', method: 'POST' },
      ])
        await nodes.call('POST', `${path}/actions`, action)
      for (const version of versions) {
        const figures = await measure(nodes, version, rounds, count, () => refunds)
        printFigures(`MCP ${version} over ${count} nodes`, figures)
        results[version] = figures
      }
      printFigures('all', [{ name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 }])
    } finally {
      await nodes.close()
    }
    return results
  } finally {
    system.closeAllConnections()
    system.close()
    await database.close()
  }
}

if (import.meta.main) {
  const [rounds, nodes] = process.argv.slice(2).map(Number)
  await run({ ...(rounds !== undefined && { rounds }), ...(nodes !== undefined && { nodes }) })
}
