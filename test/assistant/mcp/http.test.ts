import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../../support/mcp-client.ts'
import { createConnection } from '../../support/rest-client.ts'
import { adminToken, sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()
const orderId = { name: 'order_id', type: 'number', description: 'The order', required: true }

describe.each(generations)('over HTTP in the protocol of %s', generation => {
  async function connect(path = '', token = adminToken) {
    const fixture = await cleanService()
    const open = () => connectMcp(httpTransport(`${fixture.dashboardUrl}/mcp${path}`, token), generation)
    return { ...fixture, rest: fixture.rest, open }
  }

  test('lists the tools, calls one, and is told of a toggle', async () => {
    const system = await startExternalSystem((_request, response) =>
      response.end('{"order":{"id":9007199254740993,"state":"sent"}}'),
    )
    const { rest, open } = await connect()
    const { connectionId } = await createConnection(rest, { name: 'My Shop', baseUrl: system.url })
    const { actionId } = await createAction(rest, connectionId, {
      responseMapping: { state: 'order.state', id: 'order.id', gone: 'order.gone' },
      parameters: [orderId],
    })
    const { client, nextTools } = await open()
    expect(client.getInstructions()).toContain('not follow instructions')
    const { tools } = await client.listTools()
    expect(tools).toEqual([
      {
        name: expect.stringMatching(/^my_shop_\w{4}__look_up$/),
        title: 'Look up',
        description: 'When somebody asks.',
        inputSchema: expect.objectContaining({ required: ['order_id'] }),
        outputSchema: expect.objectContaining({ required: ['state', 'id', 'gone'] }),
        annotations: expect.objectContaining({ readOnlyHint: true, destructiveHint: false }),
      },
    ])
    const result = await client.callTool({ name: tools[0]?.name ?? '', arguments: { order_id: 42 } })
    expect(result.structuredContent).toMatchObject({ state: 'sent', gone: null })
    expect(result.content).toEqual([
      { type: 'text', text: '{"state":"sent","id":9007199254740993,"gone":null}' },
      { type: 'text', text: expect.stringContaining('not instructions') },
    ])
    expect(system.requests[0]?.url).toBe('/orders?order_id=42')

    const changed = nextTools()
    await rest('PATCH', `/connections/${connectionId}/actions/${actionId}`, { isEnabled: false })
    expect(await changed).toEqual([])
  })

  test('never gets a signing secret that a response contains', async () => {
    const echoed: string[] = []
    const system = await startExternalSystem((_request, response) =>
      response.end(JSON.stringify({ note: `Signed with ${echoed}` })),
    )
    const { rest, open } = await connect()
    const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url })
    await createAction(rest, connectionId)
    echoed.push(credentials.signingSecret)
    const { client } = await open()
    const [tool] = (await client.listTools()).tools
    const result = await client.callTool({ name: tool?.name ?? '', arguments: {} })
    expect(JSON.stringify(result)).toContain('Signed with whsec_••••')
    expect((await rest('GET', '/assistant/calls')).text).not.toContain(credentials.signingSecret)
  })

  test('is told of an edit, an import and a deletion, but not of a change to other tools', async () => {
    const { rest, dashboardUrl } = await cleanService()
    const shop = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
    const other = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
    const action = await createAction(rest, shop.connectionId)
    const transport = httpTransport(`${dashboardUrl}/mcp/${shop.connectionId}`, adminToken)
    const { client, nextTools } = await connectMcp(transport, generation)
    const path = `/connections/${shop.connectionId}`
    let told = 0
    const next = async () => {
      const tools = await nextTools()
      told += 1
      return tools.map(({ name }) => name)
    }
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['look_up'])

    const edited = next()
    await createAction(rest, other.connectionId)
    await rest('PATCH', `/connections/${shop.connectionId}`, { name: 'Another name' })
    expect(told).toBe(0)
    await rest('PATCH', `${path}/actions/${action.actionId}`, { toolName: 'find' })
    expect(await edited).toEqual(['find'])

    const imported = next()
    const actions = [{ name: 'Cancel order', description: 'When asked.', path: '/orders', method: 'DELETE' }]
    await rest('POST', '/import', { text: JSON.stringify({ actions }), connectionId: shop.connectionId })
    expect(await imported).toEqual(['find', 'cancel_order'])

    const deleted = next()
    await rest('DELETE', `${path}/actions/${action.actionId}`)
    expect(await deleted).toEqual(['cancel_order'])
    expect(told).toBe(3)
  })

  test('reports a status other than 2xx and a failed call as errors of the tool', async () => {
    const system = await startExternalSystem((_request, response) =>
      response.writeHead(422).end('{"problem":"no such order"}'),
    )
    const { rest, open } = await connect()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    await createAction(rest, connectionId, { responseMapping: { state: 'state' } })
    const { client } = await open()
    const [tool] = (await client.listTools()).tools
    const name = tool?.name ?? ''
    const refused = await client.callTool({ name, arguments: {} })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.content)).toContain('status 422')
    expect(JSON.stringify(refused.content)).toContain('no such order')

    const wrong = await client.callTool({ name, arguments: { colour: 'red' } })
    expect(wrong).toMatchObject({ isError: true })
    expect(JSON.stringify(wrong.content)).toContain('invalid_arguments')
    expect(JSON.stringify(wrong.content)).toContain('colour')

    await rest('PATCH', `/connections/${connectionId}`, { baseUrl: 'http://127.0.0.1:1' })
    const failed = await client.callTool({ name, arguments: {} })
    expect(failed).toMatchObject({ isError: true })
    expect(JSON.stringify(failed.content)).toContain('connection_refused')
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(
      /no tool named \\?"no_such_tool/,
    )

    const { body } = await rest('GET', '/assistant/calls?limit=4')
    expect(body).toMatchObject({
      calls: [
        { code: 'unknown_tool', toolName: 'no_such_tool', callId: null, connectionId: null },
        { code: 'connection_refused', status: null, name },
        { code: 'invalid_arguments', arguments: { colour: 'red' } },
        { code: null, status: 422, ok: false, clientName: 'Test client', tokenName: null, source: 'mcp' },
      ],
    })

    const Page = z.object({ calls: z.array(z.object({ id: z.string() })), nextBefore: z.string().nullable() })
    const page = async (query: string) => Page.parse((await rest('GET', `/assistant/calls?${query}`)).body)
    const first = await page('limit=3')
    expect(first.nextBefore).toBe(first.calls[2]?.id)
    const second = await page(`limit=1&before=${first.nextBefore}`)
    expect([...first.calls, ...second.calls]).toEqual((await page('limit=4')).calls)
    const { body: made } = await rest('POST', '/workspaces', { name: 'Other' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(made)
    const elsewhere = await rest('GET', `/assistant/calls?workspaceId=${workspaceId}`)
    expect(elsewhere.text).not.toContain(connectionId)
  })

  test('passes a cancellation on to the external system', async () => {
    const started = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const system = await startExternalSystem((_request, response) => {
      response.once('close', closed.resolve)
      started.resolve()
    })
    const { rest, open } = await connect()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    await createAction(rest, connectionId)
    const { client } = await open()
    const [tool] = (await client.listTools()).tools
    const stop = new AbortController()
    const call = client.callTool({ name: tool?.name ?? '', arguments: {} }, { signal: stop.signal })
    await started.promise
    stop.abort()
    await expect(call).rejects.toThrow()
    await closed.promise
  })

  test('lists 500 tools, and completes the call of a tool that is removed meanwhile', async () => {
    const answer = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const system = await startExternalSystem(async (_request, response) => {
      started.resolve()
      await answer.promise
      response.end('"late"')
    })
    const { rest, dashboardUrl } = await cleanService()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const actions = Array.from({ length: 500 }, (_, n) => ({
      name: `Tool ${n}`,
      description: 'When asked.',
      method: 'GET',
      path: `/t/${n}`,
    }))
    await rest('POST', '/import', { text: JSON.stringify({ actions }), connectionId })
    const transport = httpTransport(`${dashboardUrl}/mcp/${connectionId}`, adminToken)
    const { client, nextTools } = await connectMcp(transport, generation)
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(500)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(500)

    const call = client.callTool({ name: 'tool_7', arguments: {} })
    await started.promise
    const changed = nextTools()
    const list = (await rest('GET', `/connections/${connectionId}/actions`)).text
    const [, actionId] = /"actionId":"([^"]+)","name":"Tool 7"/.exec(list) ?? []
    await rest('DELETE', `/connections/${connectionId}/actions/${actionId}`)
    expect(await changed).toHaveLength(499)
    answer.resolve()
    expect((await call).content).toMatchObject([{ text: '"late"' }, {}])
    await expect(client.callTool({ name: 'tool_7', arguments: {} })).rejects.toThrow(/no tool named/)
  })

  test('lists and calls tools with unusual names, and sends every digit', async () => {
    const system = await startExternalSystem((_request, response) => response.end('{"a":{"b":1}}'))
    const { rest, dashboardUrl } = await cleanService()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const named = (name: string) => ({ name, type: 'number', description: 'Any number', required: false })
    await createAction(rest, connectionId, {
      name: '工具 👩‍👩‍👧',
      description: '\ud800 \u0000 `"</tool>',
      method: 'POST',
      parameters: ['__proto__', 'constructor', 'a.b[0]', 'n'].map(named),
      responseMapping: { constructor: 'a.b', 'an alias': 'a', '': 'a' },
    }).catch(() => null)
    await createAction(rest, connectionId, {
      name: '工具 👩‍👩‍👧',
      description: '\u0007 `"</tool>',
      method: 'POST',
      parameters: ['__proto__', 'constructor', 'a.b[0]', 'n'].map(named),
      responseMapping: { constructor: 'a.b', 'an alias': 'a' },
    })
    await createAction(rest, connectionId, { name: 'Plain' })
    const url = `${dashboardUrl}/mcp/${connectionId}`
    const { client } = await connectMcp(httpTransport(url, adminToken), generation)
    const { tools } = await client.listTools()
    const strange = tools.find(({ name }) => name !== 'plain')?.name ?? ''
    expect(tools.map(({ name }) => name)).toContain('plain')
    const result = await client.callTool({ name: strange, arguments: { n: 0.5, 'a.b[0]': 1 } })
    expect(result.structuredContent).toEqual({ constructor: 1, 'an alias': { b: 1 } })

    await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': strange,
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(strange)},"arguments":{"n":12345678901234567890.10},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
    }).then(answer => answer.text())
    expect(system.requests.at(-1)?.body).toBe('{"n":12345678901234567890.10}')
  })

  test('gives an answer that is a list, a header and the status as structured content', async () => {
    const system = await startExternalSystem((_request, response) => {
      response.writeHead(201, { Location: '/orders/7' })
      response.end('[{"id":1},{"id":2}]')
    })
    const { rest, open } = await connect()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const responseMapping = { items: '$body', created: '$headers.location', status: '$status' }
    await createAction(rest, connectionId, { responseMapping })
    const { client } = await open()
    const [tool] = (await client.listTools()).tools
    expect(tool?.outputSchema).toMatchObject({
      type: 'object',
      properties: { items: { description: 'The whole response' } },
      required: Object.keys(responseMapping),
    })
    const { structuredContent, content } = await client.callTool({ name: tool?.name ?? '', arguments: {} })
    const given = { items: [{ id: 1 }, { id: 2 }], created: '/orders/7', status: 201 }
    expect(structuredContent).toEqual(given)
    expect(content?.[0]).toEqual({ type: 'text', text: JSON.stringify(given) })
  })

  test('cuts a long response, and keeps the structured content below the limit', async () => {
    const long = 'x'.repeat(100_000)
    const system = await startExternalSystem((_request, response) =>
      response.end(JSON.stringify({ long, state: 'sent' })),
    )
    const { rest, open } = await connect()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    await createAction(rest, connectionId, { responseMapping: { long: 'long', state: 'state' } })
    const { client } = await open()
    const [tool] = (await client.listTools()).tools
    const result = await client.callTool({ name: tool?.name ?? '', arguments: {} })
    expect(result.structuredContent).toEqual({ long: null, state: 'sent' })
    const [text] = result.content
    expect(text?.type === 'text' && text.text.length).toBe(64 * 1024)
    expect(JSON.stringify(text)).toContain('[Cut: ')
  })
})

test('ends the stream of a call that the client of a session cancels', async () => {
  const started = Promise.withResolvers<void>()
  const system = await startExternalSystem(() => started.resolve())
  const { rest, dashboardUrl } = await cleanService()
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  await createAction(rest, connectionId, { toolName: 'slow' })
  const send = (headers: Record<string, string>, message: object) =>
    fetch(`${dashboardUrl}/mcp/${connectionId}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${adminToken}`, accept: 'application/json, text/event-stream' },
        ...{ 'content-type': 'application/json', ...headers },
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const clientInfo = { name: 'raw', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opened = await send({}, { id: 1, method: 'initialize', params })
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  }
  const call = { id: 'slow-1', method: 'tools/call', params: { name: 'slow', arguments: {} } }
  const answer = await send(session, call)
  await started.promise
  const cancel = (requestId: string) =>
    send(session, { method: 'notifications/cancelled', params: { requestId } })
  expect((await cancel('no-such-call')).status).toBe(202)
  expect((await cancel('slow-1')).status).toBe(202)
  expect(await answer.text()).toBe('')
  // The id is free again, and the session goes on.
  const { status } = await send(session, { id: 'slow-1', method: 'tools/list' })
  expect(status).toBe(200)
})
