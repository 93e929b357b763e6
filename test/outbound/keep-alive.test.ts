import type { Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { signatureOf } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import type { Method } from '#shared/model/method.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { serve, serveRaw, signingSecret, startCaller } from './support.ts'
import { newPair } from './tls-pair.ts'

test('a server that says how long it keeps connections is taken at its word, less a second', async () => {
  const { url, connections } = await serve((_request, response) => {
    response.setHeader('Keep-Alive', 'timeout=1')
    response.end('{}')
  })
  const caller = startCaller({ limits: { connections: 1 } })
  for (let count = 0; count < 3; count++) expect((await caller.run(url)).ok).toBe(true)
  expect(connections()).toBe(3)
})

const limits = { keepAliveMs: 600_000, connections: 1 }
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

/**
 * Answers the first request of each connection. `next` gets the second request of a connection, which has been reused;
 * by default it is closed. `first` replaces the answer to the first request of a later connection.
 */
async function serveOnce({
  next = socket => socket.destroy(),
  first = socket => socket.write(answer),
  server,
}: {
  next?: (socket: Socket) => void
  first?: (socket: Socket) => void
  server?: Server
} = {}) {
  const heads: { head: string; connection: number }[] = []
  const sockets: Socket[] = []
  const { port, url } = await serveRaw((socket, head) => {
    const isReused = sockets.includes(socket)
    if (!isReused) sockets.push(socket)
    heads.push({ head, connection: sockets.indexOf(socket) })
    if (isReused) next(socket)
    else if (sockets.length === 1) socket.write(answer)
    else first(socket)
  }, server && { server })
  return { port, url, connections: () => heads.map(({ connection }) => connection), heads }
}

const headerOf = (head: string | undefined, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(head ?? '')?.[1] ?? ''

describe('a request whose reused connection is closed before any byte of an answer', () => {
  const repeated: Method[] = ['GET', 'PUT', 'DELETE']
  test.each(repeated)('is sent once more on a new connection: %s', async method => {
    const { url, connections } = await serveOnce()
    const { run } = startCaller({ limits })
    expect(await run(url)).not.toHaveProperty('resent')
    expect(await run(url, { method })).toMatchObject({ ok: true, result: {}, error: null, resent: true })
    expect(connections()).toEqual([0, 0, 1])
  })

  const never: Method[] = ['POST', 'PATCH']
  test.each(never)('is not sent again, because it may have taken effect: %s', async method => {
    const { url, connections } = await serveOnce()
    const { run } = startCaller({ limits })
    await run(url, { method })
    const outcome = await run(url, { method })
    expect(outcome.error?.code).toBe('connection_reset')
    expect(outcome.error?.message).toMatch(/reused from an earlier call. The call is not repeated/)
    expect(outcome).not.toHaveProperty('resent')
    expect(connections()).toEqual([0, 0])
  })

  test('is sent once more after a close without a reset', async () => {
    const { url, connections } = await serveOnce({ next: socket => socket.end() })
    const { run } = startCaller({ limits })
    await run(url)
    expect(await run(url)).toMatchObject({ ok: true, resent: true })
    expect(connections()).toEqual([0, 0, 1])
  })

  const missing = missingOf('openssl')
  test.skipIf(missing.length > 0)(titled('is sent once more over TLS', missing), async () => {
    const { cert, key } = newPair('IP:127.0.0.1')
    const { port, connections } = await serveOnce({ server: createTlsServer({ cert, key }) })
    const { run } = startCaller({ limits, ca: cert })
    await run(`https://127.0.0.1:${port}`)
    expect(await run(`https://127.0.0.1:${port}`)).toMatchObject({ ok: true, resent: true })
    expect(connections()).toEqual([0, 0, 1])
  })

  test('does not take another idle connection, which may be closed too', async () => {
    const { url, connections } = await serveOnce()
    const { run } = startCaller({ limits: { ...limits, connections: 2 } })
    // Two calls at once leave two idle connections.
    await Promise.all([run(url), run(url)])
    expect(new Set(connections())).toEqual(new Set([0, 1]))
    expect(await run(url)).toMatchObject({ ok: true, resent: true })
    expect(connections().at(-1)).toBe(2)
  })

  test('is signed again at its own time, with the same body, and shown as it was sent last', async () => {
    const { url, heads } = await serveOnce()
    let now = 1_795_290_958_000
    const { run } = startCaller({ limits, clock: () => now++ })
    await run(url, { method: 'PUT' })
    const { request } = await run(url, { method: 'PUT' })
    const [, before, after] = heads
    const timestamp = headerOf(after?.head, 'x-service-timestamp')
    expect(Number(timestamp)).toBeGreaterThan(Number(headerOf(before?.head, 'x-service-timestamp')))
    const signature = signatureOf(new SigningKey(signingSecret), timestamp, '{}')
    expect(headerOf(after?.head, 'x-service-signature')).toBe(signature)
    expect(request?.headers['x-service-signature']).toBe(signature)
  })

  test('is not sent a third time', async () => {
    const { url, connections } = await serveOnce({ first: socket => socket.destroy() })
    const { run } = startCaller({ limits })
    await run(url)
    const outcome = await run(url)
    expect(outcome).toMatchObject({ ok: false, resent: true, error: { code: 'connection_reset' } })
    expect(connections()).toEqual([0, 0, 1])
  })

  test('has one time limit for both', async () => {
    const { url } = await serveOnce({ first: () => {} })
    const { run } = startCaller({ limits })
    await run(url)
    const { error, resent } = await run(url, {}, {}, { timeoutMs: 500 })
    expect(resent).toBe(true)
    expect(error?.message).toContain('did not arrive within 0.5 s')
  })

  test('is not sent again by a caller that is closed', async () => {
    let closing: Promise<void> | null = null
    const { url, connections } = await serveOnce({
      next: socket => {
        closing = caller.close()
        socket.destroy()
      },
    })
    const caller = startCaller({ limits })
    await caller.run(url)
    expect((await caller.run(url)).ok).toBe(false)
    await closing
    expect(connections()).toEqual([0, 0])
  })
})

describe('a request is not sent again', () => {
  test('if its connection is new', async () => {
    let requests = 0
    const { url } = await serveRaw(socket => {
      requests++
      socket.destroy()
    })
    const outcome = await startCaller({ limits }).run(url)
    expect(outcome.error?.code).toBe('connection_reset')
    expect(outcome).not.toHaveProperty('resent')
    expect(requests).toBe(1)
  })

  const begun = {
    'a byte of an answer': 'H',
    'an interim response': 'HTTP/1.1 100 Continue\r\n\r\n',
    'an empty line': '\r\n',
    'a part of the body': answer.slice(0, -1),
  }
  test.each(Object.entries(begun))('after %s', async (_name, bytes) => {
    const { url, connections } = await serveOnce({ next: socket => socket.end(bytes) })
    const { run } = startCaller({ limits })
    await run(url)
    const outcome = await run(url)
    expect(outcome.error).not.toBeNull()
    expect(outcome).not.toHaveProperty('resent')
    expect(connections()).toEqual([0, 0])
  })

  test('if its time is over', async () => {
    const { url, connections } = await serveOnce({ next: () => {} })
    const { run } = startCaller({ limits })
    await run(url)
    expect((await run(url, {}, {}, { timeoutMs: 100 })).error?.code).toBe('timeout')
    expect(connections()).toEqual([0, 0])
  })

  test('if it is cancelled', async () => {
    const controller = new AbortController()
    const { url, connections } = await serveOnce({ next: () => controller.abort() })
    const { run } = startCaller({ limits })
    await run(url)
    const outcome = await run(url, {}, {}, { signal: controller.signal })
    expect(outcome.error?.message).toBe('The call was cancelled.')
    expect(connections()).toEqual([0, 0])
  })
})
