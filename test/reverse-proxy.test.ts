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
  const ports = { listener: Number(new URL(between.url).port), dashboard: port }
  return { between, ports, server }
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
      const { ports, server } = await startUpstream(() => {})
      await new Promise(resolve => server.close(resolve))
      const proxy = await startProxy(name, { ...ports, listener: ports.dashboard })
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
    expect(publicPart).toMatch(/\b502,? 504\b/)
  })
})
