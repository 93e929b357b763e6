import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { evaluateProbe, type ProbeOutcome } from '#main/connections/evaluate-probe.ts'
import { ProbeResult } from '#shared/model/probe.ts'
import { openFeed } from '../support/event-feed.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

async function probe({ rest }: ServiceFixture, publicBaseUrl?: string): Promise<ProbeResult> {
  const answer = await rest('POST', '/workspaces/default/probe', { publicBaseUrl })
  expect(answer.status, answer.text).toBe(200)
  return ProbeResult.parse(answer.body)
}

type Passing = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }

/** The changes that a proxy makes to requests and answers. */
type Altering = {
  readonly request?: (passing: Passing) => Partial<Passing>
  readonly answer?: (status: number, response: ServerResponse) => void
}

/** A reverse proxy before the listener, for this test alone. */
async function startProxy(target: string, altering: Altering = {}): Promise<string> {
  const { url } = await startExternalSystem((incoming, response) => {
    const { method, url: path, headers, body } = incoming
    const passing: Passing = { method, path, headers, body: Buffer.from(body) }
    const changed = { ...passing, ...altering.request?.(passing) }
    const outgoing = request(
      target + changed.path,
      {
        method: changed.method,
        headers: { ...changed.headers, 'content-length': changed.body.length, via: '1.1 proxy' },
        agent: false,
      },
      answer => {
        answer.resume()
        answer.on('end', () => {
          const status = answer.statusCode ?? 0
          if (altering.answer) altering.answer(status, response)
          else response.writeHead(status).end('{"ok":true}')
        })
      },
    )
    outgoing.end(changed.body)
  })
  return url
}

describe('a public address that leads here', () => {
  test('is found good: the listener itself, a proxy before it, a proxy with a path of its own', async () => {
    const fixture = await cleanService()
    const proxy = await startProxy(fixture.listenerUrl)
    const below = await startProxy(fixture.listenerUrl, {
      request: ({ path }) => ({ path: path.replace(/^\/in/, '') }),
    })
    for (const url of [undefined, fixture.listenerUrl, `${proxy}/`, `${below}/in`]) {
      const result = await probe(fixture, url)
      expect(result).toEqual({
        ok: true,
        code: 'ok',
        message: expect.stringMatching(/^The probe passed through 127\.0\.0\.1:\d+ and arrived unchanged\.$/),
        status: 200,
        totalMs: expect.any(Number),
      })
      expect(result.totalMs).toBeGreaterThan(0)
    }
  })

  test('is the one that the workspace shows, unless another is asked about', async () => {
    const fixture = await cleanService()
    const { url, requests } = await startExternalSystem()
    await fixture.rest('PATCH', '/workspaces/default', { publicBaseUrl: `${url}/in` })
    expect(await probe(fixture)).toMatchObject({ ok: false, code: 'other_server' })
    expect(requests.map(sent => sent.url)).toEqual([
      expect.stringMatching(/^\/in\/api\/connect\/[\w-]{43}\/events$/),
    ])
    expect((await probe(fixture, fixture.listenerUrl)).ok).toBe(true)
  })

  test('sees no trace of it: no activity, no attempt, no count, no log, no change', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { credentials } = await createConnection(rest)
    const before = (await rest('GET', '/statistics')).body
    const feed = await openFeed(fixture)
    const lines = fixture.log.lines.length
    const altering = await startProxy(fixture.listenerUrl, { request: () => ({ body: Buffer.from('{}') }) })
    expect((await probe(fixture)).ok).toBe(true)
    expect((await probe(fixture, altering)).code).toBe('altered')
    expect((await rest('GET', '/attempts')).body).toEqual({ attempts: [] })
    expect((await rest('GET', '/statistics')).body).toEqual(before)
    expect(fixture.log.lines.slice(lines)).toEqual([])
    await postInbound(credentials, '{"event":"the first item"}')
    expect(await feed.next()).toMatchObject({ type: 'event.accepted', eventName: 'the first item' })
  })

  test('is asked with a token that is good for this once, while other senders are served and refused', async () => {
    const fixture = await cleanService()
    const { rest, listenerUrl } = fixture
    const { credentials } = await createConnection(rest)
    let path = ''
    const proxy = await startProxy(listenerUrl, {
      request(passing) {
        path = passing.path
        return {}
      },
      async answer(status, response) {
        expect((await postInbound(credentials, '{"event":"a"}')).status).toBe(200)
        const unknown = await fetch(`${listenerUrl}/api/connect/unknown/events`, { method: 'POST' })
        expect(unknown.status).toBe(404)
        response.writeHead(status).end()
      },
    })
    expect((await probe(fixture, proxy)).ok).toBe(true)
    const attempts = (await rest('GET', '/attempts')).body
    expect(attempts).toMatchObject({ attempts: [{ code: 'unknown_token' }] })
    const again = await fetch(listenerUrl + path, { method: 'POST', body: '{"event":"a"}' })
    expect([again.status, await again.json()]).toMatchObject([404, { error: 'unknown_token' }])
  })
})

describe('a proxy that alters what passes it', () => {
  const rewritten = (change: (text: string) => string) => ({
    request: ({ body }: Passing) => ({ body: Buffer.from(change(body.toString())) }),
  })
  const withHeaders = (change: (headers: IncomingHttpHeaders) => IncomingHttpHeaders) => ({
    request: ({ headers }: Passing) => ({ headers: change(headers) }),
  })
  const cases: [string, Altering, RegExp][] = [
    ['parses JSON and writes it again', rewritten(text => JSON.stringify(JSON.parse(text))), /reformatted/],
    [
      'writes it with other spaces',
      rewritten(text => JSON.stringify(JSON.parse(text), null, 2)),
      /reformatted/,
    ],
    [
      'makes ASCII of it',
      rewritten(text => text.replace('é "', '\\u00e9 "').replace(' é ', ' \\u00e9 ')),
      /reformatted/,
    ],
    ['makes one kind of line ends', rewritten(text => text.replaceAll('\r\n', '\n')), /reformatted/],
    ['cuts white space off', rewritten(text => text.trim()), /reformatted/],
    [
      'adds a field',
      rewritten(text => text.replace('{', '{"added":1,')),
      /body has \d+ bytes instead of \d+/,
    ],
    ['drops the body', rewritten(() => ''), /body is empty/],
    ['sends form fields', rewritten(() => 'event=x'), /body has 7 bytes/],
    [
      'compresses',
      {
        request: ({ body, headers }) => ({
          body: gzipSync(body),
          headers: { ...headers, 'content-encoding': 'gzip' },
        }),
      },
      /encoded \(gzip\)/,
    ],
    [
      'drops headers that it does not know',
      withHeaders(({ 'x-service-signature': _signature, ...headers }) => headers),
      /header x-service-signature is missing/,
    ],
    [
      'changes the timestamp',
      withHeaders(headers => ({ ...headers, 'x-service-timestamp': '1' })),
      /header x-service-timestamp has another value/,
    ],
    ['makes a PUT of it', { request: () => ({ method: 'PUT' }) }, /it became a PUT/],
    [
      'leaves its own path on',
      { request: ({ path }) => ({ path: `/prefix${path}` }) },
      /path became \/prefix\/api\/connect\/<token>\/events/,
    ],
    ['adds a slash', { request: ({ path }) => ({ path: `${path}/` }) }, /path became .*\/events\/ instead/],
  ]
  test.each(cases)('and %s is found out', async (_what, altering, words) => {
    const fixture = await cleanService()
    const sent: string[] = []
    const { request: change } = altering
    const proxy = await startProxy(fixture.listenerUrl, {
      ...altering,
      request(passing) {
        sent.push(passing.path.split('/')[3] ?? '')
        return change?.(passing) ?? {}
      },
    })
    const result = await probe(fixture, proxy)
    expect(result).toMatchObject({ ok: false, code: 'altered', status: 200 })
    expect(result.message).toMatch(/^The probe arrived, but was changed on the way: /)
    expect(result.message).toMatch(words)
    expect(sent).toHaveLength(1)
    expect(result.message).not.toContain(sent[0])
  })

  test('but only adds what no signature covers is good', async () => {
    const fixture = await cleanService()
    const proxy = await startProxy(fixture.listenerUrl, {
      request: ({ path, headers }) => ({
        path: `${path}?via=proxy`,
        headers: { ...headers, 'x-forwarded-for': '203.0.113.7', 'content-type': 'text/plain' },
      }),
    })
    expect((await probe(fixture, proxy)).code).toBe('ok')
  })

  test('on the way back is found out too', async () => {
    const fixture = await cleanService()
    const failing = await startProxy(fixture.listenerUrl, {
      answer: (_status, response) => void response.writeHead(500).end('Sorry'),
    })
    const changed = await probe(fixture, failing)
    expect(changed).toMatchObject({ ok: false, code: 'other_server', status: 500 })
    expect(changed.message).toMatch(
      /^The probe arrived unchanged and was answered with 200, but .* changed that to 500/,
    )
    const dropping = await startProxy(fixture.listenerUrl, {
      answer: (_status, response) => void response.destroy(),
    })
    const lost = await probe(fixture, dropping)
    expect(lost).toMatchObject({ ok: false, code: 'unreachable', status: null })
    expect(lost.message).toMatch(/^The probe arrived unchanged, but its answer did not return/)
  })
})

describe('an address that leads elsewhere', () => {
  const cases: [string, number, Record<string, string>, string, RegExp][] = [
    ['a web page', 200, {}, '<p>Hello</p>', /Another server answers/],
    ['a server that knows no such page', 404, {}, '', /Another server answers .*\(404\)/],
    ['JSON of another kind', 200, {}, '{"ok":false,"error":7}', /Another server answers/],
    ['a wall', 401, {}, '', /requires a sign-in \(401\)/],
    [
      'a redirect',
      308,
      { location: 'https://www.example.com/login?next=x' },
      '',
      /to https:\/\/www\.example\.com \(308\)/,
    ],
    ['a redirect to nowhere', 302, {}, '', /redirects elsewhere \(302\)/],
    ['a tunnel without its other end', 502, {}, '', /tunnel answers .* does not reach this service \(502\)/],
    [
      'ngrok without its agent',
      404,
      { 'ngrok-error-code': 'ERR_NGROK_3200' },
      '',
      /ngrok answers .*ERR_NGROK_3200/,
    ],
  ]
  test.each(cases)('is told from this one: %s', async (_what, status, headers, body, words) => {
    const fixture = await cleanService()
    const system = await startExternalSystem((_request, response) => {
      response.writeHead(status, headers).end(body)
    })
    const result = await probe(fixture, system.url)
    expect(result).toMatchObject({ ok: false, code: 'other_server', status })
    expect(result.message).toMatch(words)
    expect(result.message).not.toContain('next=x')
    // Redirects are not followed, nor is anything tried again.
    expect(system.requests).toHaveLength(1)
    expect(system.requests[0]).toMatchObject({ method: 'POST' })
  })

  test.each([
    [404, {}, JSON.stringify({ ok: false, error: 'x'.repeat(60_000) })],
    [404, { 'ngrok-error-code': 'x'.repeat(8000) }, ''],
    [302, { location: `https://${'x.'.repeat(4000)}example` }, ''],
  ])('has no say in how long a message gets (%i)', async (status, headers, body) => {
    const system = await startExternalSystem((_request, response) => {
      response.writeHead(status, headers).end(body)
    })
    const { message } = await probe(await cleanService(), system.url)
    expect(message).toContain('…')
    expect(message.length).toBeLessThan(400)
  })

  test('is told from this one where it is a service of the same kind', async () => {
    const fixture = await cleanService()
    const other = await startService()
    const result = await probe(fixture, other.listenerUrl)
    expect(result).toMatchObject({ ok: false, code: 'other_server', status: 404 })
    expect(result.message).toMatch(/Another Custom Connection service answers/)
    expect(result.message).toContain(fixture.listenerUrl)
    const lost = await startExternalSystem(async (_request, response) => {
      const answer = await fetch(`${fixture.listenerUrl}/other/path`, { method: 'POST' })
      response.writeHead(answer.status).end(await answer.text())
    })
    const elsewhere = await probe(fixture, lost.url)
    expect(elsewhere).toMatchObject({ ok: false, code: 'other_server', status: 404 })
    expect(elsewhere.message).toMatch(/A Custom Connection service answers .* but the path/)
  })

  test('or nowhere is told with what to do', async () => {
    const fixture = await cleanService()
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const address = closed.address()
    const port = typeof address === 'object' ? address?.port : 0
    await new Promise(resolve => closed.close(resolve))
    const refused = await probe(fixture, `http://127.0.0.1:${port}`)
    expect(refused).toMatchObject({ ok: false, code: 'unreachable', status: null })
    expect(refused.message).toBe(
      `No program listens at 127.0.0.1:${port}. Start the tunnel or proxy, and point it to ${fixture.listenerUrl}.`,
    )
    const nameless = await probe(fixture, 'https://no-such-host.invalid')
    expect(nameless).toMatchObject({ ok: false, code: 'unreachable', status: null })
    expect(nameless.message).toMatch(/no-such-host\.invalid cannot be resolved/)
  })

  test('never to addresses from which clouds hand out credentials', async () => {
    const fixture = await cleanService()
    for (const host of ['169.254.169.254', '[fe80::1]', '0xa9fea9fe', '[::ffff:169.254.169.254]'])
      expect(await probe(fixture, `http://${host}/`)).toMatchObject({
        ok: false,
        code: 'blocked_address',
        status: null,
      })
  })

  test('without a certificate that others trust', async () => {
    const fixture = await cleanService()
    const file = (name: string) =>
      readFileSync(join(import.meta.dirname, '..', 'cli', 'fixtures', `first.${name}.pem`))
    const server = createTlsServer({ cert: file('cert'), key: file('key') }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect(await probe(fixture, `https://127.0.0.1:${port}`)).toMatchObject({ ok: false, code: 'tls_error' })
    const plain = await probe(fixture, fixture.listenerUrl.replace('http:', 'https:'))
    expect(plain).toMatchObject({ ok: false, code: 'tls_error', status: null })
    expect(plain.message).toMatch(/does not use TLS/)
  })

  test('that is none is refused', async () => {
    const { rest } = await cleanService()
    for (const publicBaseUrl of ['ftp://x', 'hooks.example.com', 'https://x.example/?a=1', 7]) {
      const answer = await rest('POST', '/workspaces/default/probe', { publicBaseUrl })
      expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
    }
    const answer = await rest('POST', '/workspaces/ws_none/probe', {})
    expect([answer.status, errorCode(answer)]).toEqual([404, 'workspace_not_found'])
  })
})

test('a tunnel that does not answer in time is told from one that hides the answer', () => {
  const sent = { token: 't'.repeat(43), body: Buffer.from('{}'), timestamp: '1', signature: 'sha256=0' }
  const outcome: ProbeOutcome = {
    host: 'hooks.example.com',
    listenerUrl: 'http://127.0.0.1:8787',
    sent,
    arrival: null,
    answered: { failure: { code: 'timeout', message: 'The complete response did not arrive within 10 s.' } },
  }
  expect(evaluateProbe(outcome)).toEqual({
    code: 'timeout',
    message:
      'The complete response did not arrive within 10 s. Check for a firewall, and whether the tunnel is running.',
  })
  const arrival = {
    method: 'POST',
    target: `/api/connect/${sent.token}/events`,
    rawHeaders: ['X-Service-Timestamp', '1', 'X-Service-Signature', 'sha256=0'],
    body: sent.body,
  }
  expect(evaluateProbe({ ...outcome, arrival })).toMatchObject({
    code: 'timeout',
    message: expect.stringMatching(/^The probe arrived unchanged, but its answer did not return/),
  })
  const twice = [...arrival.rawHeaders, 'x-service-signature', 'sha256=0']
  expect(evaluateProbe({ ...outcome, arrival: { ...arrival, rawHeaders: twice } })).toMatchObject({
    code: 'altered',
    message: expect.stringContaining('twice'),
  })
  expect(evaluateProbe({ ...outcome, arrival: { ...arrival, body: null } })).toMatchObject({
    code: 'altered',
    message: expect.stringContaining('too many bytes'),
  })
})
