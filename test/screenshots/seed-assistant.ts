import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Rest } from '../support/rest-client.ts'

const Token = z.object({ tokenId: z.string(), token: z.string() })

/** The calls of each client: minutes ago, the tool and its arguments. */
const callsOf = [
  { client: 'Visual Studio Code', minutesAgo: 49, tool: 'check_stock', given: { sku: 'KB-87-GRY' } },
  { client: 'claude-ai', minutesAgo: 33, tool: 'create_refund', given: { amount: '49 EUR' } },
  { client: 'claude-ai', minutesAgo: 32, tool: 'cancel_order', given: { order_id: 'ORD-20388' } },
  {
    client: 'Visual Studio Code',
    minutesAgo: 18,
    tool: 'list_recent_orders',
    given: { email: 'maya@example.com' },
  },
  { client: 'claude-ai', minutesAgo: 0.4, tool: 'look_up_order', given: { order_id: 'ORD-2041' } },
  { client: 'claude-ai', minutesAgo: 0.1, tool: 'look_up_order', given: { order_id: 'ORD-20418' } },
]

/** Connects two MCP clients, which call tools as assistants would. @returns a function that disconnects them. */
export async function seedAssistant(parts: {
  readonly rest: Rest
  readonly dashboardUrl: string
  readonly hoursAgo: (hours: number) => void
}): Promise<() => Promise<void>> {
  const { rest, dashboardUrl, hoursAgo } = parts
  const connect = async (name: string, tokenName: string) => {
    const { body } = await rest('POST', '/assistant/tokens', { name: tokenName, workspaceId: 'default' })
    const { token, tokenId } = Token.parse(body)
    const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${dashboardUrl}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    const { tools } = await client.listTools()
    return { client, tokenId, nameOf: new Map(tools.map(tool => [tool.name.split('__')[1], tool.name])) }
  }
  hoursAgo(1)
  const clients = new Map([
    ['claude-ai', await connect('claude-ai', 'Claude Desktop')],
    ['Visual Studio Code', await connect('Visual Studio Code', 'VS Code')],
  ])
  for (const { client, minutesAgo, tool, given } of callsOf) {
    hoursAgo(minutesAgo / 60)
    const caller = clients.get(client)
    // One that is refused is thrown or answered as an error.
    await caller?.client.callTool({ name: caller.nameOf.get(tool) ?? tool, arguments: given }).catch(() => {})
  }
  const { tokenId } = clients.get('claude-ai') ?? {}
  await rest('PATCH', `/assistant/tokens/${tokenId}`, { askFirst: true })
  return async () => {
    for (const { client } of clients.values()) await client.close()
  }
}
