import type { Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { createResponseStart } from '#main/outbound/response-start.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { serveRaw, startCaller } from './support.ts'
import { newPair } from './tls-pair.ts'

const final = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const interims = {
  'a 100': 'HTTP/1.1 100 Continue\r\n\r\n',
  'a 100 without a reason': 'HTTP/1.1 100\r\n\r\n',
  'a 100 with fields':
    'HTTP/1.1 100 Continue\r\nX-A: 1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  'a 100 that announces the end of the connection': 'HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n',
  'a 100 of HTTP/1.0': 'HTTP/1.0 100 Continue\r\n\r\n',
  'a 100 whose lines end in LF': 'HTTP/1.1 100 Continue\nX-A: 1\n\n',
  'a 102': 'HTTP/1.1 102 Processing\r\n\r\n',
  'a 103': 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.css>\r\n\r\n',
  'a 199': 'HTTP/1.1 199 Miscellaneous\r\n\r\n',
  'empty lines and a 100': '\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n',
  'several of them': `${'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX-A: 1\r\n\r\n'.repeat(9)}HTTP/1.1 103 Early Hints\r\n\r\n`,
}

/** Writes pieces so that each arrives on its own. */
function writePieces(socket: Socket, pieces: readonly string[]): void {
  const [piece, ...rest] = pieces
  if (piece === undefined || socket.destroyed) return
  socket.write(piece, () => setImmediate(() => writePieces(socket, rest)))
}

describe('an interim response that nobody asked for', () => {
  test.each(Object.entries(interims))('is skipped: %s', async (_name, interim) => {
    const { url } = await serveRaw(socket => socket.write(`${interim}${final('{"a":1}')}`))
    expect(await startCaller().run(url, { method: 'POST' })).toMatchObject({
      ok: true,
      response: { status: 200, body: '{"a":1}' },
      result: { a: 1 },
      error: null,
    })
  })

  test('is skipped before each response of a kept connection', async () => {
    const { port, sockets } = await serveInterims()
    await expectInOrder(`http://127.0.0.1:${port}`)
    expect(sockets.size).toBe(1)
  })

  const missing = missingOf('openssl')
  test.skipIf(missing.length > 0)(titled('is skipped over TLS', missing), async () => {
    const { cert, key } = newPair('IP:127.0.0.1')
    const { port, sockets } = await serveInterims(createTlsServer({ cert, key }))
    await expectInOrder(`https://127.0.0.1:${port}`, cert)
    expect(sockets.size).toBe(1)
  })

  /** Precedes each response, which contains its number, by interim responses in several pieces. */
  async function serveInterims(server?: Server) {
    const sockets = new Set<Socket>()
    const names = Object.values(interims)
    let count = 0
    const answer = (socket: Socket) => {
      sockets.add(socket)
      const text = `${names[count % names.length]}${final(`{"count":${count++}}`)}`
      writePieces(socket, [text.slice(0, 9), text.slice(9, 30), text.slice(30)])
    }
    const { port } = await serveRaw(answer, server && { server })
    return { port, sockets }
  }

  async function expectInOrder(url: string, ca?: string) {
    const limits = { connections: 1, keepAliveMs: 600_000 }
    const { run } = startCaller(ca === undefined ? { limits } : { limits, ca })
    for (let count = 0; count < 12; count++) expect((await run(url)).result).toEqual({ count })
  }

  test('is not looked for in a body', async () => {
    const body = `"${'HTTP/1.1 100 Continue '.repeat(3)}"`
    const { url } = await serveRaw(socket => {
      const text = final(body)
      writePieces(socket, [text.slice(0, -body.length), body])
    })
    expect((await startCaller().run(url)).response?.body).toBe(body)
  })

  test('is not waited for without end', async () => {
    const { url } = await serveRaw(socket =>
      socket.write('HTTP/1.1 100 Continue\r\n'.padEnd(70_000, 'X-A: 1\r\n')),
    )
    expect((await startCaller().run(url)).error?.code).toBe('response_too_large')
  })

  test('is not a response, if the connection is then closed', async () => {
    for (const interim of ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Con', 'HTTP/1.1 1']) {
      const { url } = await serveRaw(socket => socket.end(interim))
      expect((await startCaller().run(url)).error?.code).toBe('connection_reset')
    }
  })

  test('is not a switch of the protocol', async () => {
    const { url } = await serveRaw(socket =>
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${final('{}')}`),
    )
    const { error } = await startCaller().run(url)
    expect(error).toMatchObject({
      code: 'network_error',
      message: expect.stringContaining('switched to another protocol (101)'),
    })
  })
})

describe('the beginning of a response', () => {
  const responses = [
    final('{"a":1}'),
    'HTTP/1.1 1000 x\r\n\r\n',
    'HTTP/1.1 1xx\r\n',
    'SSH-2.0-x\r\n',
    'H',
    '',
  ]

  test('loses its interim responses, however it is divided', () => {
    for (const interim of Object.values(interims))
      for (const response of responses) {
        const bytes = Buffer.from(interim + response)
        for (let size = 1; size <= bytes.length; size += size < 16 ? 1 : 7) {
          const start = createResponseStart()
          start.begin()
          const pieces = []
          for (let at = 0; at < bytes.length; at += size)
            pieces.push(start.pass(bytes.subarray(at, at + size)))
          pieces.push(start.end())
          expect(Buffer.concat(pieces).toString()).toBe(response)
          expect(start.opening().toString()).toBe(response)
        }
      }
  })
})
