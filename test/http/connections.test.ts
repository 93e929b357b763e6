import { once } from 'node:events'
import { Agent, type ClientRequest, createServer, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectionBounds, guardConnections } from '#main/http/guard-connections.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { eventually } from '../support/eventually.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, startService } from '../support/service-fixture.ts'
import { acceptedSockets } from '../support/sockets.ts'
import { bearer, http } from './http.ts'

const withBounds = (bounds: Partial<typeof connectionBounds>) =>
  startService({ dashboard: { bounds: { ...connectionBounds, ...bounds } } })

async function open({ dashboardUrl }: Pick<ServiceFixture, 'dashboardUrl'>): Promise<Socket> {
  const { hostname, port } = new URL(dashboardUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Asks for a path with the admin token; reads of the answer what the test reads. */
async function ask(fixture: ServiceFixture, path: string): Promise<Socket> {
  const socket = await open(fixture)
  const { host } = new URL(fixture.dashboardUrl)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${bearer.authorization}\r\n\r\n`)
  return socket
}

test('a crowd of silent connections shuts nobody out, and the oldest make room', async () => {
  const fixture = await withBounds({ maxConnections: 16 })
  const crowd: Socket[] = []
  for (let count = 0; count < 40; count++) crowd.push(await open(fixture))
  expect((await http(fixture.dashboardUrl, { headers: bearer })).status).toBe(200)
  await eventually(() => expect(crowd.filter(({ closed }) => !closed)).toHaveLength(15))
  expect(crowd.findIndex(({ closed }) => !closed)).toBe(25)
})

test('a live stream outlasts silent connections, the time-out of stalled readers and the cap', async () => {
  const fixture = await withBounds({ maxConnections: 4, stallMs: 100 })
  const stream = await ask(fixture, '/api/v1/activity')
  let text = ''
  stream.on('data', chunk => {
    text += chunk
  })
  await eventually(() => expect(text).toContain('200 OK'))
  for (let round = 0; round < 3; round++) {
    const silent = await open(fixture)
    await once(silent, 'close')
  }
  for (let count = 0; count < 10; count++) await open(fixture)
  const { credentials } = await createConnection(fixture.rest)
  await postInbound(credentials, '{"event":"still.here"}')
  await eventually(() => expect(text).toContain('still.here'))
})

/** A service with 16 MB of stored events, which no socket's own buffers hold. */
async function withLargeEvents(bounds: Partial<typeof connectionBounds>) {
  const fixture = await withBounds(bounds)
  const { connectionId, credentials } = await createConnection(fixture.rest, { persistEvents: true })
  const fill = 'x'.repeat(900_000)
  for (let count = 0; count < 18; count++)
    await postInbound(credentials, JSON.stringify({ event: 'large', data: { count, fill } }))
  return { fixture, path: `/api/v1/connections/${connectionId}/events?limit=200` }
}

test('a client that leaves its answer unread is closed after a while', async () => {
  const { fixture, path } = await withLargeEvents({ stallMs: 200 })
  const accepted = acceptedSockets()
  const stalled = await ask(fixture, path)
  await once(stalled, 'readable')
  expect(accepted).toHaveLength(1)
  await eventually(() => expect(accepted[0]?.destroyed).toBe(true))
})

test('clients that leave answers unread make room for those that read', async () => {
  const { fixture, path } = await withLargeEvents({ maxUnsentBytes: 8 * 1024 * 1024 })
  const accepted = acceptedSockets()
  for (let count = 0; count < 6; count++) await once(await ask(fixture, path), 'readable')
  // The largest is spared beside what fits.
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true, true, false])
  const answer = await http(fixture.dashboardUrl, { path, headers: bearer })
  expect([answer.status, answer.text.length > 4_000_000]).toEqual([200, true])
})

test('a connection that sends requests ahead of their answers is closed, and few of them begin', async () => {
  const begun: string[] = []
  const server = createServer((request, response) => {
    begun.push(request.url ?? '')
    setImmediate(() => response.end())
  })
  guardConnections(server, { ...connectionBounds, maxPipelined: 4 })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const dashboardUrl = `http://127.0.0.1:${port}`
  const send = async (path: string, count: number) => {
    const socket = await open({ dashboardUrl })
    socket.resume().write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count))
    return socket
  }
  await once(await send('/greedy', 1000), 'close')
  expect(begun).toEqual(Array(4).fill('/greedy'))
  await send('/modest', 4)
  await eventually(() => expect(begun.slice(4)).toEqual(Array(4).fill('/modest')))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  for (let count = 0; count < 10; count++)
    expect(await statusOf(request(`${dashboardUrl}/patient`, { agent }))).toBe(200)
})

test('the rest of a refused body is read in turns, and others need none', async () => {
  const turns: (() => void)[] = []
  const throttle = { wait: (goOn: () => void) => void turns.push(goOn), stop() {} }
  const server = createServer((_request, response) => response.writeHead(401).end())
  guardConnections(server, connectionBounds, throttle)
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const dashboardUrl = `http://127.0.0.1:${port}`
  const accepted = acceptedSockets()
  const chunked = await open({ dashboardUrl })
  let answers = ''
  chunked.on('data', chunk => {
    answers += chunk
  })
  chunked.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  chunked.write('1\r\nx\r\n'.repeat(60_000))
  await eventually(() => expect(turns).toHaveLength(1))
  const read = () => accepted[0]?.bytesRead ?? 0
  for (let count = 0; count < 3; count++) expect(await statusOf(request(dashboardUrl))).toBe(401)
  expect(read()).toBeLessThanOrEqual(2 * 64 * 1024)
  chunked.write('0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const goOn = () => {
    turns.shift()?.()
    expect(answers.split('401')).toHaveLength(3)
  }
  await eventually(goOn)
})

async function statusOf(call: ClientRequest): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(call.end(), 'response')
  response?.resume()
  return response?.statusCode
}
