import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CreatedClientToken } from '#shared/model/assistant.ts'
import { cliEntry } from '../support/cli-entry.ts'
import { runCli } from '../support/cli-process.ts'
import { type CliService, rest, serve, sharedService, stop, temporaryFolder } from '../support/cli-service.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, generations } from '../support/mcp-client.ts'

const shared = sharedService()
const Connection = z.object({ connectionId: z.string() })
const Action = z.object({ actionId: z.string() })
const Texts = z.tuple([z.object({ text: z.string() })], z.unknown())
const Found = z.tuple([z.object({ name: z.string() })])

const transportTo = ({ data }: Pick<CliService, 'data'>, ...args: string[]) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [cliEntry, 'mcp', '--data', data, ...args],
    stderr: 'pipe',
  })

async function createShop(service: CliService, baseUrl: string) {
  const { body } = await rest(service, 'POST', '/connections', { body: { name: 'Shop', baseUrl } })
  const { connectionId } = Connection.parse(body)
  const path = `/connections/${connectionId}/actions`
  const action = {
    name: 'Set price',
    description: 'When asked.',
    path: '/price',
    parameters: [{ name: 'price', type: 'number', description: 'The price', required: true }],
  }
  const { actionId } = Action.parse((await rest(service, 'POST', path, { body: action })).body)
  return { connectionId, actionPath: `${path}/${actionId}` }
}

describe.each(generations)('mcp in the protocol of %s', generation => {
  test('lists and calls a tool of the running service, and passes changes and cancellations on', async () => {
    const started = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const system = await startExternalSystem(({ body }, response) => {
      if (body.includes('404')) return void response.writeHead(404).end('"gone"')
      if (!body.includes('0.5')) return void response.end('{"ok":true}')
      response.once('close', closed.resolve)
      started.resolve()
    })
    const service = await shared.empty()
    const { connectionId, actionPath } = await createShop(service, system.url)
    const { client, nextTools } = await connectMcp(
      transportTo(service, '--connection', connectionId),
      generation,
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['set_price'])
    const call = (price: number, signal?: AbortSignal) =>
      client.callTool({ name: 'set_price', arguments: { price } }, signal === undefined ? {} : { signal })
    expect((await call(12.5)).content).toMatchObject([{ text: '{"ok":true}' }, {}])
    expect(await call(404)).toMatchObject({ isError: true })
    expect(system.requests[0]?.body).toBe('{"price":12.5}')
    const { body: clients } = await rest(service, 'GET', '/assistant/clients')
    expect(clients).toMatchObject([
      { name: 'Test client', protocol: generation, transport: 'stdio', connectionId, calls: 2 },
    ])

    const abort = new AbortController()
    const cancelled = call(0.5, abort.signal)
    await started.promise
    abort.abort()
    await expect(cancelled).rejects.toThrow()
    await closed.promise

    const changed = nextTools()
    await rest(service, 'DELETE', actionPath)
    expect(await changed).toEqual([])
    await client.close()
    await expect.poll(async () => (await rest(service, 'GET', '/assistant/clients')).body).toEqual([])
  })
})

test.each(generations)(
  'finds, describes and calls tools on demand in the protocol of %s',
  async generation => {
    const system = await startExternalSystem()
    const service = await shared.empty()
    await createShop(service, system.url)
    const { body } = await rest(service, 'POST', '/assistant/tokens', {
      body: { name: 'x', tools: 'on demand' },
    })
    const { token } = CreatedClientToken.parse(body)
    const { client } = await connectMcp(transportTo(service, '--token', token), generation)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'describe_tool', 'call_tool'])
    const call = async (name: string, given: Record<string, unknown>) =>
      Texts.parse((await client.callTool({ name, arguments: given })).content)[0].text
    const [found] = Found.parse(JSON.parse(await call('find_tools', { query: 'setting prices' })))
    const { name } = found
    expect(JSON.parse(await call('describe_tool', { name }))).toMatchObject({ name, title: 'Set price' })
    expect(await call('call_tool', { name, arguments: { price: 12.5 } })).toBe('{"ok":true}')
    expect(system.requests[0]?.body).toBe('{"price":12.5}')
  },
)

test('takes a client token, which narrows the tools and ends the connection when it is revoked', async () => {
  const service = await shared.empty()
  await createShop(service, 'http://127.0.0.1:1')
  const { body } = await rest(service, 'POST', '/assistant/tokens', { body: { name: 'x', readOnly: true } })
  const { token, tokenId } = CreatedClientToken.parse(body)
  const { client } = await connectMcp(transportTo(service, '--token', token), '2025-11-25')
  expect((await client.listTools()).tools).toEqual([])
  const closed = Promise.withResolvers<void>()
  client.onclose = closed.resolve
  await rest(service, 'DELETE', `/assistant/tokens/${tokenId}`)
  await closed.promise
  const wrong = await runCli(['mcp', '--data', service.data, '--token', token])
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^unauthorized: /) })
})

test('answers what was asked before stdin closed, with every digit, and ends with status 0', async () => {
  const system = await startExternalSystem()
  const service = await shared.empty()
  const { connectionId } = await createShop(service, system.url)
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'sh', version: '1' },
  }
  const lines = [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    'not JSON',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"set_price","arguments":{"price":12345678901234567890.10}}}',
  ]
  const args = ['mcp', '--data', service.data, '--connection', connectionId]
  const { code, stdout, stderr } = await runCli(args, { stdin: `${lines.join('\n')}\n` })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(answers).toMatchObject([{ id: null, error: { code: -32_700 } }, { id: 1 }, { id: 2 }])
  expect(system.requests[0]?.body).toBe('{"price":12345678901234567890.10}')
})

test('names on stderr what is wrong, and prints nothing on stdout', async () => {
  const data = temporaryFolder()
  const none = await runCli(['mcp', '--data', data])
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('service_not_running') })
  const { data: running } = shared()
  const unknown = await runCli(['mcp', '--data', running, '--connection', 'conn_none'])
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('connection_not_found'),
  })
  const both = await runCli(['mcp', '--data', running, '--connection', 'conn_a', '--workspace', 'default'])
  expect(both).toMatchObject({ code: 2, stdout: '' })
})

test('ends with the service, which does not wait for it', async () => {
  const service = await serve(temporaryFolder())
  const transport = transportTo(service)
  const { client } = await connectMcp(transport, '2026-07-28')
  const closed = Promise.withResolvers<void>()
  client.onclose = closed.resolve
  expect(await stop(service)).toBe(0)
  await closed.promise
})
