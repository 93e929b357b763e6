import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { adminToken, type RunningService } from './processes.ts'

const Preview = z.object({
  recognized: z.object({ operations: z.int() }),
  environmentVariables: z.array(z.object({ name: z.string() })),
})
const Actions = z.array(z.object({ isEnabled: z.boolean() }))

/** Connects a client to the tools of the first connection of a service. The caller closes it. */
export async function connectClient({ line, connectionId }: RunningService): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const headers = { authorization: `Bearer ${adminToken}` }
  const url = new URL(`${line.dashboardUrl}/mcp/${connectionId}`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

/** Lists all tools, page by page. */
export async function allTools(client: Client) {
  const all = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor }, {
      cacheMode: 'bypass',
    })
    all.push(...page.tools)
    cursor = page.nextCursor
    if (cursor === undefined) return all
  }
}

/**
 * Imports a document into the first connection of a service, lets it call another address, and connects to its tools.
 * Variables for the sign-in have the value that Basic needs for an empty user and password.
 */
export async function connectTools(service: RunningService, text: string, baseUrl: string) {
  const { connectionId, call } = service
  const preview = Preview.parse(await call('POST', '/import/preview', { connectionId, text }))
  await call('POST', '/import', { connectionId, text })
  await call('PATCH', `/connections/${connectionId}`, { baseUrl })
  for (const { name } of preview.environmentVariables)
    await call('PUT', `/environment/${name}`, { value: 'Og==' })
  const actions = Actions.parse(await call('GET', `/connections/${connectionId}/actions`))

  const client = await connectClient(service)
  const tools = await allTools(client)
  return {
    operations: preview.recognized.operations,
    enabled: actions.filter(({ isEnabled }) => isEnabled).length,
    tools,
    /** Calls a tool. @returns the text of its answer. */
    async call(name: string, args: Record<string, unknown>): Promise<string> {
      const { content } = await client.callTool({ name, arguments: args })
      return content[0]?.type === 'text' ? content[0].text : ''
    },
    close: () => client.close(),
  }
}
