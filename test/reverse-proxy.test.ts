import { createServer, type RequestListener } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { refusalAnswer } from '#main/inbound/answers.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { startCuttableProxy } from './support/cuttable-proxy.ts'
import { startInbound } from './support/inbound-fixture.ts'
import { needsProxy, proxies, shippedConfiguration, startProxy } from './support/reverse-proxy.ts'
import { pathOf } from './support/sender.ts'

const path = '/api/connect/tok_of_this_test/events'
const event = { body: '{"event":"order.created"}' }

/** What the service answers when it cannot store an event. */
const unavailable = refusalAnswer('unavailable')
const [, retryAfter] = unavailable.rawHeaders.slice(unavailable.rawHeaders.indexOf('Retry-After'))

/** Stands for the service, where a proxy must not see a difference. */
async function startUpstream(listener: RequestListener) {
  const server = createServer(listener)
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const between = await startCuttableProxy(`http://127.0.0.1:${port}`)
  const betweenPort = Number(new URL(between.url).port)
  return { between, ports: { listener: betweenPort, dashboard: betweenPort }, server, port }
}

for (const name of proxies) {
  const { isMissing, title } = needsProxy(name)
  describe.skipIf(isMissing)(title, () => {
    test('answers 503 with Retry-After while the service is away, and passes its answers on again', async () => {
      const { between, ports } = await startUpstream((_request, response) => response.end('{"ok":true}'))
      const proxy = await startProxy(name, ports)
      expect(await proxy.ask(path, event)).toMatchObject({ status: 200, text: '{"ok":true}' })
      between.interrupt()
      const { status, text, retryAfter: wait } = await proxy.ask(path, event)
      expect({ status, wait }).toEqual({ status: 503, wait: retryAfter })
      expect(JSON.parse(text)).toMatchObject({ ok: false, error: 'unavailable' })
      between.restore()
      expect(await proxy.ask(path, event)).toMatchObject({ status: 200, text: '{"ok":true}' })
    })

    test('answers the same where nothing listens', async () => {
      const { server, port } = await startUpstream(() => {})
      await new Promise(resolve => server.close(resolve))
      const proxy = await startProxy(name, { listener: port, dashboard: port })
      expect(await proxy.ask(path, event)).toMatchObject({ status: 503, retryAfter })
    })

    test('passes the service’s own refusals on unchanged', async () => {
      const { ports } = await startUpstream((request, response) => {
        const status = Number(request.headers['x-status'])
        response.writeHead(status, { 'retry-after': '7' }).end('its own words')
      })
      const proxy = await startProxy(name, ports)
      for (const status of [401, 404, 408, 413, 503]) {
        const answer = await proxy.ask(path, { ...event, headers: { 'x-status': String(status) } })
        expect(answer).toEqual({ status, retryAfter: '7', text: 'its own words' })
      }
    })

    test('answers 404 to other paths', async () => {
      const { ports } = await startUpstream((_request, response) => response.end())
      const proxy = await startProxy(name, ports)
      expect((await proxy.ask('/')).status).toBe(404)
    })

    test.each([1_500_000, 3_000_000, 12_000_000])('answers 413 to a body of %d bytes', async bytes => {
      const { port, connection } = await startInbound()
      const proxy = await startProxy(name, { listener: port, dashboard: port })
      const asked = { body: 'x'.repeat(bytes) }
      expect((await proxy.ask(pathOf(connection.token), asked)).status).toBe(413)
    })
  })
}

/** In a path, a query and a header, as senders and browsers send it. */
const token = 'tok_that_no_log_may_have'
const carriers: [string, { headers?: Record<string, string>; body?: string; to?: 'public' | 'private' }][] = [
  [`/api/connect/${token}/events`, event],
  [`/api/connect/${token}/events/`, event],
  [`/api/connect/${token}/events?again=${token}`, event],
  [`/api/connect/${token}`, {}],
  [`//api//connect/${token}/events`, event],
  [`/api/connect/../connect/${token}/events`, event],
  [`/API/Connect/${token}/events`, event],
  [`/hooks/api/connect/${token}/events`, event],
  [`/%61pi/connect/${token}/events`, event],
  ['/favicon.ico', { headers: { referer: `https://connect.example.com/api/connect/${token}/events` } }],
  [`/api/connect/${token}/events`, { body: 'x'.repeat(3_000_000) }],
  [`/api/connect/${token}/events`, { body: 'x'.repeat(500_000) }],
  [`/api/connect/${token}/${'x'.repeat(9000)}`, event],
  [`/api/connect/${token}/events`, { ...event, headers: { 'x-large': 'x'.repeat(15_000) } }],
  [`/api/connect/${token}/events`, { ...event, to: 'private' }],
]

for (const name of proxies) {
  const { isMissing, title } = needsProxy(name)
  test.skipIf(isMissing)(`no log of ${title} has a token, even while the service is away`, async () => {
    const { between, ports } = await startUpstream((request, response) => {
      request.resume()
      const trouble = request.headers['x-trouble']
      if (trouble === undefined) response.end('{"ok":true}')
      else if (trouble === 'cut before the answer') request.socket.destroy()
      else response.writeHead(200, { 'content-length': '10' }).write('{', () => request.socket.destroy())
    })
    const proxy = await startProxy(name, ports)
    async function askAll(more: Record<string, string> = {}): Promise<void> {
      for (const [target, options] of carriers) {
        const headers = { ...options.headers, ...more }
        await proxy.ask(target, { ...options, headers }).catch(() => 'The answer was cut.')
      }
    }
    await askAll()
    await askAll({ 'x-trouble': 'cut before the answer' })
    await askAll({ 'x-trouble': 'cut within the answer' })
    between.interrupt()
    await askAll()
    const logs = await proxy.stop()
    expect(logs).not.toContain(token)
    // An administrator still sees that the service was away.
    expect(logs).toMatch(name === 'nginx' ? / POST 503 \d+ [\d.]+ 502$/m : /"status":502/)
  })
}

const nginx = needsProxy('nginx')
test.skipIf(nginx.isMissing)(`${nginx.title} answers 503 when the service takes too long`, async () => {
  const { ports } = await startUpstream(() => {})
  const hasty = (text: string) => text.replace('proxy_read_timeout 60s', 'proxy_read_timeout 10ms')
  const proxy = await startProxy('nginx', ports, hasty)
  expect(await proxy.ask(path, event)).toMatchObject({ status: 503, retryAfter })
})

describe('the shipped configurations', () => {
  test.each(proxies)('of %s answers for the service with its own code and Retry-After', name => {
    const text = shippedConfiguration(name)
    const [publicPart = ''] = text.split('# The dashboard and REST')
    expect(publicPart).toMatch(new RegExp(`Retry-After ${retryAfter}\\b`))
    const [body = ''] = /\{"ok":false.*?\}/.exec(publicPart) ?? []
    expect(JSON.parse(body)).toMatchObject({ ok: false, error: JSON.parse(unavailable.body).error })
    expect(publicPart).toMatch(
      /error_page 500 502 504 = @away;|@away expression \{http\.error\.status_code\} >= 500/,
    )
  })

  test('of nginx write no path: the request line is in no log format, and in every error', () => {
    const text = shippedConfiguration('nginx')
    const [, format = ''] = /^log_format custom_connection ([^;]*);/m.exec(text) ?? []
    const variables = [...format.matchAll(/\$(\w+)/g)].map(([, variable]) => variable)
    expect(variables).toContain('status')
    const withPath = ['request', 'request_uri', 'uri', 'document_uri', 'args', 'query_string', 'http_referer']
    expect(variables.filter(variable => withPath.includes(variable ?? ''))).toEqual([])
    // At the level of the server, above its locations.
    const [, server = ''] = /^server \{\n(.*?)^ {4}location /ms.exec(text) ?? []
    expect(server).toMatch(/^ {4}access_log \S+ custom_connection;$/m)
    expect(server).toMatch(/^ {4}error_log \/dev\/null emerg;$/m)
    const [, misdirected = ''] = text.split('# The dashboard and REST')
    expect(misdirected).toMatch(
      /location \/api\/connect\/ \{\s+access_log off;\s+error_log \/dev\/null emerg;\s+return 404;/,
    )
  })

  test('of Caddy delete the path from what is logged', () => {
    expect(shippedConfiguration('Caddy')).toMatch(
      /^\{\n\tlog default \{\n\t\tformat filter \{[^}]*request>uri delete/m,
    )
  })
})
