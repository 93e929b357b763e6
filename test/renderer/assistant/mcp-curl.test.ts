import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { mcpCurl, toolToTry } from '#renderer/features/assistant/mcp-curl.ts'
import { AssistantTools, CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()
const parameter = (name: string, type: string, required = true) => ({
  name,
  type,
  description: 'It’s one',
  required,
})

/** Runs a command in a shell, as it is copied. */
async function run(command: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command])
  return JSON.parse(stdout)
}

async function setUp(actions: readonly object[], token: object = {}) {
  const system = await startExternalSystem()
  const { rest, dashboardUrl } = await cleanService()
  const { connectionId } = await createConnection(rest, { name: 'Bo’s shop', baseUrl: system.url })
  for (const action of actions) await createAction(rest, connectionId, action)
  const { tools } = AssistantTools.parse((await rest('GET', '/assistant/tools')).body)
  const created = CreatedClientToken.parse(
    (await rest('POST', '/assistant/tokens', { name: 'curl', ...token })).body,
  )
  return { rest, system, connectionId, tools, created, url: `${dashboardUrl}/mcp` }
}

test.each<{ of: string; at: (connectionId: string) => string }>([
  { of: 'all connections', at: () => '' },
  { of: 'one connection', at: connectionId => `/${connectionId}` },
])('the command at the address of $of calls the tool that needs least', async ({ at }) => {
  const { rest, system, connectionId, tools, created, url } = await setUp([
    {
      name: 'Many',
      parameters: [parameter('a', 'string'), parameter('b', 'number'), parameter('c', 'boolean')],
    },
    { name: 'Few', path: '/few', parameters: [parameter('q', 'string'), parameter('r', 'number', false)] },
    { name: 'Writes', method: 'POST' },
  ])
  const tool = toolToTry(tools, created)
  expect(tool?.toolName).toBe('few')
  const name = (at('x') === '' ? tool?.name : tool?.toolName) ?? ''
  const command = mcpCurl({ url: url + at(connectionId), token: created.token }, { ...tool!, name })
  expect(await run(command)).toMatchObject({ id: 1, result: { content: [{ text: '{"ok":true}' }, {}] } })
  expect(system.requests.map(({ url }) => url)).toEqual(['/few?q=example'])
  expect((await rest('GET', '/assistant/calls?limit=1')).body).toMatchObject({
    calls: [{ source: 'mcp', clientName: 'curl', name, ok: true }],
  })
})

test('values come from the schema, whatever they contain', async () => {
  const { tools, created, url, system } = await setUp([
    { name: 'Find', parameters: [parameter('q', 'string')] },
  ])
  const [tool] = tools
  const inputSchema = {
    ...tool?.inputSchema,
    properties: { q: { type: 'string', enum: [`it's "$(x)" \\ ünï`] } },
  }
  await run(mcpCurl({ url, token: created.token }, { name: tool?.name ?? '', inputSchema }))
  expect(new URL(system.requests[0]?.url ?? '', url).searchParams.get('q')).toBe(`it's "$(x)" \\ ünï`)
})

test('without a tool that only reads and runs, the command lists the tools', async () => {
  const { tools, created, url } = await setUp([{ name: 'Writes', method: 'POST' }])
  expect(toolToTry(tools, created)).toBeNull()
  const listed = await run(mcpCurl({ url, token: created.token }, null))
  expect(listed).toMatchObject({ result: { tools: [{ name: tools[0]?.name }] } })
  const reading = { ...tools[0]!, annotations: { readOnly: true, destructive: false } }
  expect(toolToTry([reading], { ...created, permissions: { [reading.actionId]: 'ask' } })).toBeNull()
  expect(toolToTry([reading], null)).toBe(reading)
})
