import { createServer, type RequestListener } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { refusalAnswer } from '#main/inbound/answers.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { startCuttableProxy } from './support/cuttable-proxy.ts'
import { eventually } from './support/eventually.ts'
import { startInbound } from './support/inbound-fixture.ts'
import { needsProxy, proxies, shippedConfiguration, startProxy } from './support/reverse-proxy.ts'
import { pathOf } from './support/sender.ts'

const path = '/api/connect/tok_of_this_test/events'
const event = { body: '{"event":"order.created"}' }

/** The answer of the service when it cannot store an event. */
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

    test('refuses the metrics, which are those of one node', async () => {
      const { ports } = await startUpstream((_request, response) => response.end('passed on'))
      const proxy = await startProxy(name, ports)
      const ask = async (asked: string) => (await proxy.ask(asked, { to: 'private' })).status
      for (const asked of ['/metrics', '/metrics?x=1', '/%6detrics'])
        expect(await ask(asked), asked).toBe(403)
      for (const asked of ['/', '/api/v1/metrics/token']) expect(await ask(asked), asked).toBe(200)
    })

    test('passes parts of a stream on as they come', async () => {
      const more = Promise.withResolvers<void>()
      const { ports } = await startUpstream(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
        await more.promise
        response.end('data: 2\n\n')
      })
      const proxy = await startProxy(name, ports)
      const parts: string[] = []
      for await (const part of await proxy.follow('/api/v1/live')) {
        parts.push(String(part))
        more.resolve()
      }
      expect(parts).toEqual(['data: 1\n\n', 'data: 2\n\n'])
    })

    test.each([1_500_000, 3_000_000, 12_000_000])('answers 413 to a body of %d bytes', async bytes => {
      const { port, connection } = await startInbound()
      const proxy = await startProxy(name, { listener: port, dashboard: port })
      const asked = { body: 'x'.repeat(bytes) }
      expect((await proxy.ask(pathOf(connection.token), asked)).status).toBe(413)
    })
  })
}

/** Stands for a node, with one port for all that a node serves. */
async function startNode(name: string) {
  let isReady = true
  const { server, port } = await startUpstream((request, response) => {
    if (request.url === '/readyz' && request.headers.host === 'localhost')
      response.writeHead(isReady ? 200 : 503).end()
    else response.end(name)
  })
  return {
    port,
    setReady(value: boolean) {
      isReady = value
    },
    /** Ends it, with all its connections. */
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Write the nodes into a configuration, with which the proxy asks none for /readyz. */
const withNodes = {
  nginx: (text: string, ports: readonly number[]) =>
    text.replace(/server 127.0.0.1:8787 (.*);/, (_all, more) =>
      ports.map(port => `server 127.0.0.1:${port} ${more};`).join(' '),
    ),
  HAProxy: (text: string, ports: readonly number[]) =>
    text.replaceAll(/ node-(\d):\d+$/gm, (_all, number) => ` 127.0.0.1:${ports[number - 1]}`),
}

/** For configurations that name the ports of all nodes. */
const noPorts = { listener: 1, dashboard: 1 }

const haproxy = needsProxy('HAProxy')
test.skipIf(haproxy.isMissing)(`${haproxy.title} sends events only to nodes that are ready`, async () => {
  const nodes = [await startNode('1'), await startNode('2'), await startNode('3')]
  const [first] = nodes
  const ports = nodes.map(({ port }) => port)
  const proxy = await startProxy('HAProxy', noPorts, text =>
    withNodes.HAProxy(text, ports).replace('check port 8788 inter 1s', 'check inter 20ms'),
  )
  const answered = async (to: 'public' | 'private' = 'public') => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => proxy.ask(path, { ...event, to })))
    return [...new Set(answers.map(({ status, text }) => `${status} ${text}`))].sort()
  }
  const all = ['200 1', '200 2', '200 3']
  expect(await answered()).toEqual(all)
  first?.setReady(false)
  await eventually(async () => expect(await answered()).toEqual(['200 2', '200 3']))
  first?.setReady(true)
  await eventually(async () => expect(await answered()).toEqual(all))
  for (const node of nodes) node.setReady(false)
  await eventually(async () =>
    expect(await answered()).toEqual([expect.stringMatching(/^503 .*"unavailable"/)]),
  )
  // Their dashboards can still say why.
  expect(await answered('private')).toEqual(all)
  await first?.stop()
  expect(await answered('private')).toEqual(['200 2', '200 3'])
})

for (const name of ['nginx', 'HAProxy'] as const) {
  const { isMissing, title } = needsProxy(name)
  test.skipIf(isMissing)(`${title} sends to another node what it cannot send to one`, async () => {
    const nodes = [await startNode('1'), await startNode('2'), await startNode('3')]
    await nodes[1]?.stop()
    const ports = nodes.map(({ port }) => port)
    const proxy = await startProxy(name, noPorts, text => withNodes[name](text, ports))
    const answers = await Promise.all(Array.from({ length: 12 }, () => proxy.ask(path, event)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['1', '3']))
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

/** How a log says that the service was away. */
const ofAway = {
  nginx: / POST 503 \d+ [\d.]+ 502$/m,
  Caddy: /"status":502/,
  HAProxy: / POST 503 .* listeners\//m,
}

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
    expect(logs).toMatch(ofAway[name])
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
      /error_page 500 502 504 = @away;|@away expression \{http\.error\.status_code\} >= 500|set-status 503 if \{ status 500 502 504 \}/,
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
