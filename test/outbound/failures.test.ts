import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type CallErrorCode, callErrors } from '#shared/errors/call.ts'
import type { CallResult } from '#shared/model/call.ts'
import { action, expectFailedCall, lookupIn, parameter, serve, serveRaw, startCaller } from './support.ts'

const seen = new Set<string>()

function expectFailure(outcome: CallResult, code: CallErrorCode, message: RegExp | string) {
  seen.add(code)
  expectFailedCall(outcome, code, message)
}

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

test('a call that is announced answers without end is given up', async () => {
  const { url } = await serveRaw(socket => {
    const announcements = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500)
    const more = () => void (socket.destroyed || socket.write(announcements, more))
    socket.on('error', () => {})
    more()
  })
  const { error } = await startCaller().run(url)
  expect(error?.code).toBe('response_too_large')
})

describe('a call without a base URL', () => {
  test.each([null, 'not a url'])('(%j) is not made', async baseUrl => {
    const outcome = await startCaller().run(
      baseUrl,
      { headers: { 'X-A': '{{A}}' }, parameters: [parameter('a')] },
      { b: 1 },
    )
    expect(outcome).toMatchObject({
      ok: false,
      request: null,
      error: { code: 'no_base_url' },
      environmentVariables: ['A'],
    })
    expect(outcome.timings).toEqual({
      totalMs: 0,
      dnsMs: 0,
      connectMs: 0,
      tlsMs: 0,
      firstByteMs: 0,
      downloadMs: 0,
    })
  })
})

describe('a connection', () => {
  test('that is not free in time is not waited for', async () => {
    const reached = Promise.withResolvers<void>()
    const { url } = await serveRaw(() => reached.resolve())
    const caller = startCaller({ limits: { connections: 1 } })
    const first = caller.run(url)
    await reached.promise
    expectFailure(await caller.run(url, {}, {}, { timeoutMs: 150 }), 'timeout', /no connection/)
    await caller.close()
    expectFailure(await first, 'network_error', /service is stopping/)
  })

  test('that is not accepted in time is given up', async () => {
    const caller = startCaller({ lookup: () => {}, limits: { connectTimeoutMs: 100 } })
    expectFailure(
      await caller.run('http://slow.example:81'),
      'timeout',
      'slow.example:81 accepted no connection within 0.1 s.',
    )
  })

  test('is refused where nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    const address = await new Promise<number>(resolve =>
      server.once('listening', () => {
        const bound = server.address()
        resolve(typeof bound === 'object' && bound !== null ? bound.port : 0)
      }),
    )
    await new Promise(resolve => server.close(resolve))
    for (const host of ['127.0.0.1', 'localhost'])
      expectFailure(
        await startCaller().run(`http://${host}:${address}`),
        'connection_refused',
        `^No program listens at ${host}:${address}\\.$`,
      )
  })

  test('to a name that does not exist fails', async () => {
    const message = /^The host name nowhere\.invalid cannot be resolved \((ENOTFOUND|EAI_AGAIN)\)\.$/
    expectFailure(await startCaller().run('http://nowhere.invalid'), 'dns_failure', message)
    const caller = startCaller({ lookup: lookupIn({}) })
    expectFailure(await caller.run('https://nowhere.invalid:8443'), 'dns_failure', message)
  })

  test.each<[string, (socket: import('node:net').Socket) => void, RegExp]>([
    ['closed without an answer', socket => socket.end(), /closed the connection without a response\.$/],
    [
      'reset without an answer',
      socket => socket.resetAndDestroy(),
      /closed the connection without a response\.$/,
    ],
    [
      'reset in the middle of the body',
      socket =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
      /before the end of its response/,
    ],
    [
      'closed before the declared length',
      socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'),
      /before the end of its response, after 3 bytes/,
    ],
    [
      'closed before the declared length, as announced',
      socket => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nabc'),
      /before the end of its response, after 3 bytes/,
    ],
    [
      'closed in the middle of a chunk',
      socket => socket.end(`${head}5\r\nab`),
      /before the end of its response/,
    ],
    ['closed between chunks', socket => socket.end(`${head}2\r\nab\r\n`), /before the end of its response/],
    [
      'closed in the middle of a chunk, as announced',
      socket => socket.end(`${head.replace('OK', 'OK\r\nConnection: close')}5\r\nab`),
      /before the end of its response/,
    ],
    ['closed in the head', socket => socket.end('HTTP/1.1 200 OK\r\nContent-'), /closed the connection/],
  ])('%s is connection_reset', async (_title, answer, message) => {
    const { url } = await serveRaw(answer)
    expectFailure(await startCaller().run(url, { method: 'POST' }), 'connection_reset', message)
  })

  const start = 'HTTP/1.1 200 OK\r\n'
  test.each<[string, RegExp]>([
    ['\x15\x03\x01\x00\x02\x02\x46', /^\S+ answers with TLS\. Should the base URL start with https: instead/],
    ['\x15\x03\x03\x00\x02\x02\x28', /^\S+ answers with TLS\./],
    ['SSH-2.0-OpenSSH_9.6\r\n', /^\S+ is an SSH server\. Check the port of the base URL\.$/],
    ['220 mail.example ESMTP\r\n', /^\S+ is an FTP or mail server\./],
    ['-ERR wrong number of arguments\r\n', /^\S+ is a Redis server\./],
    ['\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0\0\x05', /^\S+ speaks HTTP\/2 only/],
    ['\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x01', /^\S+ speaks HTTP\/2 only/],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^\S+ speaks HTTP\/2 only/],
    ['{"a":1}', /is not HTTP: it has no status line/],
    ['\0\0\0\0', /is not HTTP: it has no status line/],
    ['HTTP/9.9 what\r\n\r\n', /first line has no valid version and status/],
    ['HTTP/2 200 OK\r\n\r\n', /first line has no valid version and status/],
    ['HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nab', /first line has no valid version and status/],
    ['HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nab', /first line has no valid version and status/],
    ['HTTP/1.1 200 OK\nContent-Length: 2\n\nab', /a line ends in LF instead of CR and LF/],
    [`${start}Content-Length: 2\n\nab`, /a line ends in LF/],
    [`${start}Content-Length: 2\r\n\nab`, /a line ends in LF/],
    [`${start}Content-Length: abc\r\n\r\n`, /its Content-Length is not a number of bytes/],
    [`${start}Content-Length: 2, 2\r\n\r\nab`, /its Content-Length is not a number of bytes/],
    [`${start}Content-Length: 99999999999999999999\r\n\r\nab`, /its Content-Length is not a number of bytes/],
    [`${start}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, /it has more than one Content-Length/],
    [
      `${start}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
      /both Content-Length and Transfer-Enc/,
    ],
    [
      `${start}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n`,
      /both Content-Length and Transfer-Enc/,
    ],
    [`${start}no colon\r\n\r\n`, /a header field has no valid name/],
    [`${start}Content-Length: 2\r\nX A: 1\r\n\r\nab`, /a header field has no valid name/],
    [`${start}X-A: \x01\r\n\r\n`, /the value of a header field has a control character/],
    [`${start}X-A: 1\r\n  2\r\n\r\n`, /a header field goes on in a second line/],
    [`${head}zz\r\nab\r\n`, /a chunk is malformed, after 0 bytes of the body/],
    [`${head}2\r\nabc`, /a chunk is malformed, after 2 bytes of the body/],
  ])('that answers %j fails with what is wrong', async (answer, message) => {
    const { url } = await serveRaw(socket => socket.write(answer, 'latin1'))
    const outcome = await startCaller().run(url)
    expectFailure(outcome, 'network_error', message)
    expect(outcome.error?.message.includes('https:')).toBe(answer.startsWith('\x15'))
  })

  test('that says more than it declared is not used again', async () => {
    const { url } = await serveRaw(socket =>
      socket.write(`${ok('{}')}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"evil"`),
    )
    const caller = startCaller()
    for (let count = 0; count < 5; count++) expect((await caller.run(url)).result).toEqual({})
  })
})

describe('an answer that is too large', () => {
  const maxBytes = 5 * 1024 * 1024

  test('is not read where its length says so', async () => {
    const { url } = await serveRaw(socket =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * maxBytes}\r\n\r\n`),
    )
    expectFailure(
      await startCaller().run(url),
      'response_too_large',
      'The response is larger than 5 MiB, so it was not read.',
    )
  })

  test('is not read on where its chunks have no end, and the connection is closed', async () => {
    const closed = Promise.withResolvers<number>()
    const { url } = await serveRaw(socket => {
      let written = 0
      socket.write(head)
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) written += 65_536
      }
      socket.on('drain', more)
      socket.once('close', () => closed.resolve(written))
      more()
    })
    expectFailure(await startCaller().run(url), 'response_too_large', '5 MiB')
    expect(await closed.promise).toBeLessThan(4 * maxBytes)
  })

  test('by a byte is refused, of just the limit read', async () => {
    const { url } = await serve((request, response) =>
      response.end(Buffer.alloc(maxBytes + (request.url === '/more' ? 1 : 0), 'a')),
    )
    const caller = startCaller()
    expect((await caller.run(url, { path: '/' })).response?.bytes).toBe(maxBytes)
    expectFailure(await caller.run(url, { path: '/more' }), 'response_too_large', '5 MiB')
  })

  test.each([1, 2])('once decoded is refused (gzip, %i times)', async times => {
    let bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 1 })
    for (let more = 1; more < times; more++) bomb = gzipSync(bomb)
    const { url } = await serve((_request, response) => {
      response.setHeader('Content-Encoding', new Array(times).fill('gzip').join(', '))
      response.end(bomb)
    })
    expectFailure(await startCaller().run(url), 'response_too_large', '5 MiB')
  })

  test('of 5 MiB once decoded is read', async () => {
    const { url } = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'gzip')
      response.end(gzipSync(Buffer.alloc(maxBytes, 'a')))
    })
    expect((await startCaller().run(url)).response?.bytes).toBe(maxBytes)
  })

  test.each([
    ['one huge field', `X-Huge: ${'x'.repeat(100_000)}\r\n`],
    ['very many fields', 'X-Many: y\r\n'.repeat(20_000)],
    ['fields without end', null],
  ])('because of %s is refused', async (_title, fields) => {
    const { url } = await serveRaw(socket => {
      socket.write('HTTP/1.1 200 OK\r\n')
      if (fields !== null) return socket.write(`${fields}\r\n`)
      // In large pieces: one field at a time fills the buffers of the socket only after seconds of this process.
      const piece = 'X-Endless: y\r\n'.repeat(5000)
      const more = () => {
        while (!socket.destroyed && socket.write(piece)) {}
      }
      socket.on('drain', more)
      more()
    })
    expectFailure(await startCaller().run(url), 'response_too_large', '64 KiB of header fields')
  })
})

describe('a call', () => {
  test('that is not wanted any more ends at once, and is not sent if it had not been', async () => {
    let requests = 0
    const { url } = await serveRaw(() => requests++)
    const caller = startCaller()
    const early = new AbortController()
    early.abort()
    expectFailure(
      await caller.run(url, {}, {}, { signal: early.signal }),
      'network_error',
      'The call was cancelled.',
    )
    expect(requests).toBe(0)
    const late = new AbortController()
    const call = caller.run(url, {}, {}, { signal: late.signal })
    setImmediate(() => late.abort())
    expectFailure(await call, 'network_error', 'The call was cancelled.')
  })

  test('under way ends when the caller is closed, and so does one that comes later', async () => {
    const reached = Promise.withResolvers<void>()
    const { url } = await serveRaw(() => reached.resolve())
    const caller = startCaller({
      lookup: (name, options, callback) =>
        name === 'slow.example' ? undefined : lookupIn({})(name, options, callback),
    })
    const calls = [caller.run(url), caller.run('http://slow.example')]
    await reached.promise
    await caller.close()
    for (const outcome of await Promise.all(calls))
      expectFailure(outcome, 'network_error', /service is stopping/)
    expectFailure(await caller.run(url), 'network_error', /service is stopping/)
  })

  test('that fails does not harm those beside it', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/bad') request.socket.destroy()
      else response.end('{}')
    })
    const caller = startCaller()
    const paths = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? '/bad' : '/good'))
    const outcomes = await Promise.all(paths.map(path => caller.run(url, { path, method: 'POST' })))
    expect(outcomes.map(({ ok, error }) => (ok ? 'ok' : error?.code))).toEqual(
      paths.map(path => (path === '/good' ? 'ok' : 'connection_reset')),
    )
  })

  test('is never made twice, though its connection was kept and then closed', async () => {
    let requests = 0
    const { url } = await serveRaw(socket => {
      requests++
      if (requests % 2 === 1) socket.write(ok('{}'))
      else socket.destroy()
    })
    const caller = startCaller({ limits: { connections: 1 } })
    expect((await caller.run(url, { method: 'POST' })).ok).toBe(true)
    const second = await caller.run(url, { method: 'POST' })
    expectFailure(second, 'connection_reset', /reused from an earlier call. The call is not repeated/)
    expect(requests).toBe(2)
  })

  test('does not go over a kept connection that the other side has closed meanwhile', async () => {
    const { url } = await serveRaw(socket => socket.write(ok('{}'), () => socket.end()))
    const caller = startCaller()
    for (let count = 0; count < 20; count++)
      expect(await caller.run(url, { method: 'POST' })).toMatchObject({ ok: true })
  })

  test('with an empty signing secret is a mistake of the program', () => {
    const connection = { baseUrl: 'http://127.0.0.1', signingSecret: '', timeoutMs: 1000 }
    expect(() => startCaller().callOf(connection, action())).toThrow(RangeError)
  })
})

test('every code that the network can cause has been seen', () => {
  const elsewhere = new Set<string>([
    'no_base_url',
    'invalid_arguments',
    'missing_environment_variable',
    'invalid_header_value',
    'blocked_address',
    'tls_error',
    'token_unavailable',
    'rate_limited',
  ])
  expect(Object.keys(callErrors).filter(code => !elsewhere.has(code) && !seen.has(code))).toEqual([])
})
