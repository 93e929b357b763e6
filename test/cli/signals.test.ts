import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import {
  type CliService,
  createConnection,
  keptToken,
  serve,
  storedEvents,
  temporaryFolder,
} from '../support/cli-service.ts'

const isStopping = (line: string) => line.includes('"msg":"Stopping"')

describe('serve: SIGTERM and SIGINT', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s: an event under way is still taken in', async signal => {
    const data = temporaryFolder()
    const service = await serve(data)
    const { connectionId, credentials } = await createConnection(service, 'Shop')
    const body = '{"event":"last.one"}'
    const headers = signedHeaders(new SigningKey(credentials.signingSecret), Date.now(), body)
    const { socket, answer } = await open(service.listenerUrl)
    const head = [
      `POST ${new URL(credentials.inboundUrl).pathname} HTTP/1.1`,
      ...Object.entries({ host: 'x', 'content-length': body.length, ...headers }).map(pair =>
        pair.join(': '),
      ),
      '\r\n',
    ].join('\r\n')
    await write(socket, head + body.slice(0, 5))
    await untilRead(service)
    service.process.signal(signal)
    await service.process.line('stderr', isStopping)
    socket.write(body.slice(5))
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
    expect((await service.process.ended).code).toBe(0)

    const events = await storedEvents(await serve(data), connectionId)
    expect(events).toMatchObject([{ eventName: 'last.one' }])
  })

  it('lets a REST request under way finish, and ends the activity feed', async () => {
    const data = temporaryFolder()
    const service = await serve(data)
    const authorization = `authorization: Bearer ${keptToken(data)}`
    const host = `host: ${new URL(service.dashboardUrl).host}`
    const feed = await open(service.dashboardUrl)
    const feedClosed = once(feed.socket, 'close')
    let items = ''
    feed.socket.on('data', data => {
      items += data
    })
    feed.socket.write(`GET /api/v1/activity HTTP/1.1\r\n${host}\r\n${authorization}\r\n\r\n`)

    const { socket, answer } = await open(service.dashboardUrl)
    const body = '{"name":"Late"}'
    const head = `POST /api/v1/connections HTTP/1.1\r\n${host}\r\n${authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    await write(socket, head + body.slice(0, 5))
    await untilRead(service)
    service.process.signal('SIGTERM')
    await service.process.line('stderr', isStopping)
    socket.write(body.slice(5))
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /)
    expect((await service.process.ended).code).toBe(0)
    await feedClosed
    // The last chunk: to the client, it is an end and not an error.
    expect(items).toMatch(/\r\n0\r\n\r\n$/)
  })

  it('a second signal ends it at once, with status 1', async () => {
    const service = await serve(temporaryFolder())
    const { credentials } = await createConnection(service, 'Shop')
    const { socket } = await open(service.listenerUrl)
    const headers = signedHeaders(new SigningKey(credentials.signingSecret), Date.now(), '')
    const lines = Object.entries({ host: 'x', 'content-length': 9, ...headers }).map(pair => pair.join(': '))
    await write(
      socket,
      `POST ${new URL(credentials.inboundUrl).pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{`,
    )
    // Without a second one it would wait for the rest of that body. Ctrl-C sends some twice: again until it ends.
    const again = setInterval(() => service.process.signal('SIGINT'), 50)
    onTestFinished(() => clearInterval(again))
    expect((await service.process.ended).code).toBe(1)
  })
})

/** Waits until the service has read all earlier bytes: it answers a later request only then. */
async function untilRead(service: CliService): Promise<void> {
  expect((await fetch(`${service.dashboardUrl}/healthz`)).status).toBe(200)
}

async function open(url: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', data => resolve(String(data)))
    socket.on('error', reject)
  })
  answer.catch(() => {}) // Only some are waited for.
  await new Promise<void>(resolve => socket.once('connect', () => resolve()))
  return { socket, answer }
}

function write(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => socket.write(text, error => (error ? reject(error) : resolve())))
}
