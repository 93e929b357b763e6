import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectionBounds } from '#main/http/guard-connections.ts'
import { createAction } from '../support/actions.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, startService } from '../support/service-fixture.ts'
import { acceptedSockets } from '../support/sockets.ts'
import { bearer, http } from './http.ts'

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

type Asked = {
  readonly method?: string
  readonly path: string
  readonly headers?: object
  readonly body?: string
}

/** Sends a request. The server's end of the socket holds back what it writes, as if the client never read. */
async function askUnread({ dashboardUrl }: ServiceFixture, asked: Asked) {
  const { method = 'GET', path, headers = {}, body = '' } = asked
  const accepted = acceptedSockets()
  const { host, hostname, port } = new URL(dashboardUrl)
  const client = connect(Number(port), hostname)
  onTestFinished(() => void client.destroy())
  client.on('error', () => {})
  await once(client, 'connect')
  await expect.poll(() => accepted.length).toBe(1)
  const [server] = accepted
  if (server === undefined) throw new Error('Nothing was accepted.')
  server.cork()
  const fields = { host, ...bearer, 'content-length': Buffer.byteLength(body), ...headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  client.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  await expect.poll(() => server.writableLength).toBeGreaterThan(0)
  return { client, server }
}

async function openMcpSession({ dashboardUrl }: ServiceFixture): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const answer = await http(dashboardUrl, {
    method: 'POST',
    path: '/mcp',
    headers: { ...json, ...bearer },
    body,
  })
  return String(answer.headers['mcp-session-id'])
}

test.each(['/api/v1/activity', '/api/v1/live'])(
  'a client that never reads the stream %s costs little memory, and is closed',
  async path => {
    const fixture = await startService()
    const { credentials } = await createConnection(fixture.rest)
    const { server } = await askUnread(fixture, { path })
    const event = 'e'.repeat(255)
    for (let count = 0; count < 500; count++) await postInbound(credentials, JSON.stringify({ event }))
    // One message may exceed the stream's high-water mark of 64 KiB.
    expect(server.writableLength).toBeLessThan(80 * 1024)
    server.emit('timeout')
    expect(server.destroyed).toBe(true)
  },
)

test('MCP clients that never read their answers make room for others, and are closed', async () => {
  const fixture = await startService({
    dashboard: { bounds: { ...connectionBounds, maxUnsentBytes: 512 * 1024 } },
  })
  const { rest } = fixture
  const { connectionId } = await createConnection(rest, { baseUrl: 'http://127.0.0.1:9' })
  for (let count = 0; count < 50; count++)
    await createAction(rest, connectionId, { name: `Tool ${count}`, description: 'x'.repeat(8000) })
  const session = await openMcpSession(fixture)
  const headers = { ...json, 'mcp-session-id': session }
  const list = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })
  const servers = []
  for (let id = 2; id < 8; id++) {
    const asked = { method: 'POST', path: '/mcp', headers, body: list(id) }
    const { server } = await askUnread(fixture, asked)
    await expect.poll(() => server.writableLength).toBeGreaterThan(400_000)
    servers.push(server)
  }
  // The largest is spared beside what fits.
  expect(servers.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true, false, false])
  const call = { method: 'POST', path: '/mcp', headers: { ...headers, ...bearer }, body: list(9) }
  expect((await http(fixture.dashboardUrl, call)).text.length).toBeGreaterThan(400_000)
  servers.at(-1)?.emit('timeout')
  expect(servers.at(-1)?.destroyed).toBe(true)
})

test('a client that resets its connection in mid-answer leaves nothing behind', async () => {
  const fixture = await startService()
  const { rest, dashboardUrl } = fixture
  const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
  const fill = 'x'.repeat(900_000)
  for (let count = 0; count < 10; count++)
    await postInbound(credentials, JSON.stringify({ event: 'large', data: { fill } }))
  const headers = { ...json, 'mcp-session-id': await openMcpSession(fixture) }
  for (const asked of [
    { path: `/api/v1/connections/${connectionId}/events?limit=200` },
    { path: '/api/v1/activity' },
    { path: '/api/v1/live' },
    { path: '/mcp', headers },
  ]) {
    const { client, server } = await askUnread(fixture, asked)
    client.resetAndDestroy()
    await expect.poll(() => server.destroyed).toBe(true)
    expect((await http(dashboardUrl, { headers: bearer })).status).toBe(200)
  }
  expect(fixture.log.lines.filter(line => JSON.stringify(line).includes('A request failed'))).toEqual([])
})
