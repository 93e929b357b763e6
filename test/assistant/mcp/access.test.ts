import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Approval, CreatedClientToken } from '#shared/model/assistant.ts'
import { http } from '../../http/http.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, generations, httpTransport } from '../../support/mcp-client.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { adminToken, sharedService, startService } from '../../support/service-fixture.ts'

const cleanService = sharedService()

async function createToken(rest: Rest, fields: object = {}): Promise<z.infer<typeof CreatedClientToken>> {
  return CreatedClientToken.parse(
    (await rest('POST', '/assistant/tokens', { name: 'Laptop', ...fields })).body,
  )
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const post = (url: string, headers: Record<string, string>, path = '/mcp', body = initialize) =>
  http(url, { method: 'POST', path, headers: { ...json, ...headers }, body })

describe('an address of MCP', () => {
  test('refuses a missing and a wrong token, a foreign Host and a foreign Origin', async () => {
    const { dashboardUrl } = await cleanService()
    const authorization = `Bearer ${adminToken}`
    expect((await post(dashboardUrl, { authorization })).status).toBe(200)
    expect((await post(dashboardUrl, {})).status).toBe(401)
    const wrong = await post(dashboardUrl, { authorization: 'Bearer ccmcp_wrong' })
    expect(wrong).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1'])
      expect((await post(dashboardUrl, { authorization, origin })).text).toContain('forbidden_origin')
    const foreign = { method: 'POST', path: '/mcp', host: 'evil.example', body: initialize }
    const answer = await http(dashboardUrl, { ...foreign, headers: { ...json, authorization } })
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('forbidden_host') })
  })

  test('counts wrong tokens, and still accepts a right one', async () => {
    const { dashboardUrl, rest } = await startService()
    const { token } = await createToken(rest)
    const wrong = { authorization: 'Bearer ccmcp_wrong' }
    for (let n = 0; n < 20; n++) expect((await post(dashboardUrl, wrong)).status).toBe(401)
    const answer = await post(dashboardUrl, wrong)
    expect(answer).toMatchObject({ status: 429, text: expect.stringContaining('too_many_attempts') })
    expect((await post(dashboardUrl, { authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('leaves connections to the owner, however many calls of clients are in progress', async () => {
    const { dashboardUrl, rest } = await startService()
    const { token } = await createToken(rest)
    const authorization = `Bearer ${token}`
    const { hostname, port } = new URL(dashboardUrl)
    const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\nContent-Length: 9\r\n\r\n`
    const sockets = await Promise.all(
      Array.from({ length: 192 }, async () => {
        const socket = connect(Number(port), hostname)
        await once(socket, 'connect')
        socket.write(head)
        return socket
      }),
    )
    await expect
      .poll(() => post(dashboardUrl, { authorization }))
      .toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        text: expect.stringContaining('too_many_mcp_requests'),
      })
    expect((await rest('GET', '/connections')).status).toBe(200)
    expect((await post(dashboardUrl, { authorization: `Bearer ${adminToken}` })).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await post(dashboardUrl, { authorization })).status).toBe(200)
  })

  test('names a workspace or connection that does not exist', async () => {
    const { dashboardUrl } = await cleanService()
    const authorization = `Bearer ${adminToken}`
    const workspace = await post(dashboardUrl, { authorization }, '/mcp/workspaces/ws_none')
    expect(workspace).toMatchObject({ status: 404, text: expect.stringContaining('workspace_not_found') })
    const connection = await post(dashboardUrl, { authorization }, '/mcp/conn_none')
    expect(connection).toMatchObject({ status: 404, text: expect.stringContaining('connection_not_found') })
  })

  test('refuses a message that is too long, too deep, or not JSON', async () => {
    const { dashboardUrl } = await cleanService()
    const authorization = `Bearer ${adminToken}`
    const status = async (body: string) => (await post(dashboardUrl, { authorization }, '/mcp', body)).status
    expect(await status(`{"a":"${'x'.repeat(4 * 1024 * 1024)}"}`)).toBe(413)
    expect(await status(`{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`)).toBe(400)
    const many = Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`)
    expect(await status(initialize.replace('{}', `{${many}}`))).toBe(400)
    expect(await status('{"jsonrpc"')).toBe(400)
    expect(await status('{}')).toBe(400)
  })

  test('keeps 200 sessions, and ends the one used longest ago first', async () => {
    const { dashboardUrl, clock } = await cleanService()
    const authorization = `Bearer ${adminToken}`
    const open = async () => {
      clock.now += 1
      return String((await post(dashboardUrl, { authorization })).headers['mcp-session-id'])
    }
    const ping = '{"jsonrpc":"2.0","id":2,"method":"ping"}'
    const isOpen = async (id: string) =>
      (await post(dashboardUrl, { authorization, 'mcp-session-id': id }, '/mcp', ping)).status === 200
    const first = await open()
    const second = await open()
    for (let n = 0; n < 199; n++) await open()
    expect(await isOpen(first)).toBe(false)
    expect(await isOpen(second)).toBe(true)
  })

  test('keeps a session for the token that opened it', async () => {
    const { dashboardUrl, rest } = await cleanService()
    const { token } = await createToken(rest)
    const opened = await post(dashboardUrl, { authorization: `Bearer ${adminToken}` })
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
    const stolen = await post(dashboardUrl, { ...headers, authorization: `Bearer ${token}` }, '/mcp', list)
    expect(stolen.status).toBe(404)
  })
})

describe('a client token', () => {
  test('is refused everywhere but at MCP', async () => {
    const { dashboardUrl, rest } = await cleanService()
    const { token } = await createToken(rest)
    const headers = { authorization: `Bearer ${token}`, 'x-csrf-token': 'orpc' }
    expect((await post(dashboardUrl, headers)).status).toBe(200)
    for (const [method, path] of [
      ['GET', '/api/v1/connections'],
      ['GET', '/api/v1/openapi.json'],
      ['GET', '/api/v1/assistant/tokens'],
      ['POST', '/api/v1/assistant/tokens'],
      ['POST', '/api/v1/backup'],
      ['POST', '/rpc/connections/list'],
      ['POST', '/session'],
      ['POST', '/download/backup'],
    ] as const)
      expect((await http(dashboardUrl, { method, path, headers })).status, path).toBe(401)
  })
})

describe.each(generations)('a client token in the protocol of %s', generation => {
  async function startShop(fields: object) {
    const fixture = await cleanService()
    const { rest, dashboardUrl } = fixture
    const system = await startExternalSystem()
    const shop = await createConnection(rest, { name: 'Shop', baseUrl: system.url })
    const other = await createConnection(rest, { name: 'Other', baseUrl: system.url })
    const get = await createAction(rest, shop.connectionId)
    const change = { name: 'Change', method: 'POST', path: '/orders' }
    const edit = await createAction(rest, shop.connectionId, change)
    await createAction(rest, other.connectionId)
    const made = await createToken(rest, { connectionId: shop.connectionId, ...fields })
    const connect = (path = '') =>
      connectMcp(httpTransport(`${dashboardUrl}/mcp${path}`, made.token), generation)
    return { ...fixture, rest, system, shop, other, get, edit, token: made, connect }
  }

  test('reaches only its connection, also at the address of another', async () => {
    const { connect, shop, other, rest, token } = await startShop({})
    const { client } = await connect()
    expect((await client.listTools()).tools.map(({ name }) => name.split('__')[1])).toEqual([
      'look_up',
      'change',
    ])
    const { client: own } = await connect(`/${shop.connectionId}`)
    expect((await own.listTools()).tools.map(({ name }) => name)).toEqual(['look_up', 'change'])
    await expect(connect(`/${other.connectionId}`)).rejects.toThrow()
    await expect(connect('/workspaces/default')).rejects.toThrow()
    const listed = await rest('GET', '/assistant/tokens')
    expect(listed.body).toMatchObject([{ tokenId: token.tokenId, lastUsedAt: expect.any(String) }])
    const clients = await rest('GET', '/assistant/clients')
    const facts = { name: 'Test client', version: '1.2.3', protocol: generation, transport: 'http' }
    const theirs = { ...facts, tokenId: token.tokenId, tokenName: 'Laptop' }
    expect(clients.body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...theirs, connectionId: shop.connectionId, workspaceId: null }),
        expect.objectContaining({ ...theirs, connectionId: null, workspaceId: 'default' }),
      ]),
    )
  })

  test('is read-only or refuses a tool, which then is neither listed nor called', async () => {
    const { connect, rest, token, edit, get, system } = await startShop({ readOnly: true })
    const { client, nextTools } = await connect()
    const [look] = (await client.listTools()).tools
    expect(look?.name).toMatch(/look_up$/)
    const change = look?.name.replace('look_up', 'change') ?? ''
    const refused = await client.callTool({ name: change, arguments: {} })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused.content)).toContain('tool_not_permitted')
    expect(system.requests).toEqual([])

    const changed = nextTools()
    const permissions = { [get.actionId]: 'refuse' }
    await rest('PATCH', `/assistant/tokens/${token.tokenId}`, { readOnly: false, permissions })
    expect((await changed).map(({ name }) => name)).toEqual([change])
    const { body } = await rest('GET', '/assistant/calls?limit=1')
    expect(body).toMatchObject({
      calls: [
        {
          code: 'tool_not_permitted',
          reason: expect.stringContaining('may not call'),
          actionId: edit.actionId,
          tokenName: 'Laptop',
          clientName: 'Test client',
          method: 'POST',
        },
      ],
    })
  })

  test('asks first: an allowed call is made, a declined one is not', async () => {
    const { connect, rest, system } = await startShop({ askFirst: true })
    const { client } = await connect()
    const { tools } = await client.listTools()
    const name = tools[1]?.name ?? ''
    const held = () => rest('GET', '/assistant/approvals').then(({ body }) => z.array(Approval).parse(body))
    for (const decision of ['allow', 'decline'] as const) {
      const waits = Promise.withResolvers<string | undefined>()
      const call = client.callTool(
        { name, arguments: {} },
        { onprogress: ({ message }) => waits.resolve(message) },
      )
      expect(await waits.promise).toContain('dashboard')
      const [approval] = await held()
      expect(approval).toMatchObject({ name, method: 'POST', clientName: 'Test client', tokenName: 'Laptop' })
      expect(system.requests).toHaveLength(decision === 'allow' ? 0 : 1)
      await rest('POST', `/assistant/approvals/${approval?.approvalId}`, { decision })
      const result = await call
      if (decision === 'allow') expect(result.content).toMatchObject([{ text: '{"ok":true}' }, {}])
      else expect(JSON.stringify(result)).toContain('call_declined')
    }
    expect(await held()).toEqual([])
    expect(system.requests).toHaveLength(1)
    const { content } = await client.callTool({ name: tools[0]?.name ?? '', arguments: {} })
    expect(content).toMatchObject([{ text: '{"ok":true}' }, {}])
    // Nobody is asked about a call that cannot be made.
    const wrong = await client.callTool({ name, arguments: { unknown: 'x' } })
    expect(JSON.stringify(wrong)).toContain('invalid_arguments')
  })

  test('makes no call that was changed or cancelled while it waited', async () => {
    const { connect, rest, system, edit, shop } = await startShop({ askFirst: true })
    const { client } = await connect()
    const name = (await client.listTools()).tools[1]?.name ?? ''
    const stop = new AbortController()
    const hold = async () => {
      const waits = Promise.withResolvers<void>()
      const options = { onprogress: () => waits.resolve(), signal: stop.signal }
      const call = client.callTool({ name, arguments: {} }, options)
      call.catch(() => {})
      await waits.promise
      const [approval] = z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)
      return { call, approvalId: approval?.approvalId }
    }
    const first = await hold()
    const path = `/connections/${shop.connectionId}/actions/${edit.actionId}`
    await rest('PATCH', path, { path: '/refunds' })
    await rest('POST', `/assistant/approvals/${first.approvalId}`, { decision: 'allow' })
    expect(JSON.stringify(await first.call)).toContain('tool_changed')

    const second = await hold()
    stop.abort()
    await expect(second.call).rejects.toThrow()
    await expect.poll(async () => (await rest('GET', '/assistant/approvals')).body).toEqual([])
    expect(system.requests).toEqual([])
    await expect
      .poll(async () => (await rest('GET', '/assistant/calls?limit=2')).body)
      .toMatchObject({ calls: [{ code: 'call_cancelled' }, { code: 'tool_changed' }] })
  })

  test.each<{ of: string; change: object }>([
    { of: 'the path', change: { path: '/refunds' } },
    { of: 'the method', change: { method: 'DELETE' } },
    { of: 'the headers', change: { headers: { 'X-Force': '1' } } },
  ])('asks again after a change of $of of an action that it was allowed to run', async ({ change }) => {
    const { connect, rest, system, edit, shop, token } = await startShop({ askFirst: true })
    const place = `/assistant/tokens/${token.tokenId}`
    const permissions = async () =>
      z.object({ permissions: z.unknown() }).parse((await rest('PATCH', place, {})).body).permissions
    await rest('PATCH', place, { permissions: { [edit.actionId]: 'run' } })
    const { client } = await connect()
    const name = (await client.listTools()).tools[1]?.name ?? ''
    const path = `/connections/${shop.connectionId}/actions/${edit.actionId}`
    await rest('PATCH', path, { description: 'Other words.' })
    await client.callTool({ name, arguments: {} })
    expect(system.requests).toHaveLength(1)
    await rest('PATCH', path, change)
    expect(await permissions()).toEqual({})
    const waits = Promise.withResolvers<void>()
    const call = client.callTool({ name, arguments: {} }, { onprogress: () => waits.resolve() })
    await waits.promise
    const [approval] = z.array(Approval).parse((await rest('GET', '/assistant/approvals')).body)
    await rest('POST', `/assistant/approvals/${approval?.approvalId}`, { decision: 'decline' })
    await call
    expect(system.requests).toHaveLength(1)
    // A permission that only narrows stays.
    await rest('PATCH', place, { permissions: { [edit.actionId]: 'refuse' } })
    await rest('PATCH', path, { path: '/all' })
    expect(await permissions()).toEqual({ [edit.actionId]: 'refuse' })
  })

  test('is a new version once a permission has ended, so that no older page gives it again', async () => {
    const { rest, edit, shop, token } = await startShop({})
    const place = `/assistant/tokens/${token.tokenId}`
    const permissions = { [edit.actionId]: 'run' }
    const { body } = await rest('PATCH', place, { permissions })
    const { updatedAt } = z.object({ updatedAt: z.string() }).parse(body)
    await rest('PATCH', `/connections/${shop.connectionId}/actions/${edit.actionId}`, { path: '/refunds' })
    const refused = await rest('PATCH', place, { permissions, ifUpdatedAt: updatedAt })
    expect(refused).toMatchObject({ status: 409, body: { data: { current: { permissions: {} } } } })
  })

  test.each([
    { what: 'keeps', change: { name: 'Store' }, isKept: true },
    { what: 'does not keep', change: { baseUrl: 'http://127.0.0.1:1' }, isKept: false },
  ])('$what the permission to run an action that is removed and restored after $change', async one => {
    const { rest, edit, shop, token } = await startShop({})
    const permissions = { [edit.actionId]: 'run' }
    await rest('PATCH', `/assistant/tokens/${token.tokenId}`, { permissions })
    const action = `/connections/${shop.connectionId}/actions/${edit.actionId}`
    await rest('DELETE', action)
    await rest('PATCH', `/connections/${shop.connectionId}`, one.change)
    expect((await rest('POST', `${action}/restore`)).status).toBe(200)
    const { body } = await rest('GET', '/assistant/tokens')
    const [shown] = z.array(z.object({ permissions: z.unknown() })).parse(body)
    expect(shown?.permissions).toEqual(one.isKept ? permissions : {})
  })

  test('takes its held calls with it when it is revoked', async () => {
    const { connect, rest, system, token } = await startShop({ askFirst: true })
    const { client } = await connect()
    const name = (await client.listTools()).tools[1]?.name ?? ''
    const waits = Promise.withResolvers<void>()
    const call = client.callTool({ name, arguments: {} }, { onprogress: () => waits.resolve() })
    call.catch(() => {})
    await waits.promise
    await rest('DELETE', `/assistant/tokens/${token.tokenId}`)
    await expect.poll(async () => (await rest('GET', '/assistant/approvals')).body).toEqual([])
    expect(system.requests).toEqual([])
  })

  test('is refused at once when it is revoked', async () => {
    const { connect, rest, token } = await startShop({})
    const { client } = await connect()
    await client.listTools()
    await rest('DELETE', `/assistant/tokens/${token.tokenId}`)
    await expect(client.callTool({ name: 'x', arguments: {} })).rejects.toThrow()
    await expect(connect()).rejects.toThrow(/401|token is missing or wrong/i)
  })
})
