import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDashboard } from '#main/http/dashboard.ts'
import { version } from '#main/lib/version.ts'
import type { Health } from '#shared/contract/health.ts'
import { createConnection } from '../support/rest-client.ts'
import { adminToken, postInbound, sharedService, startService } from '../support/service-fixture.ts'
import { bearer, codeOf, http } from './http.ts'

const cleanService = sharedService()

describe('what a page of another site can send', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a %s POST changes nothing: refused by its origin, for want of a token, and by its type',
    async type => {
      const { dashboardUrl, rest } = await cleanService()
      const call = { method: 'POST', path: '/api/v1/connections', body: '{"name":"x"}' }
      const headers = { 'content-type': type }
      const fromPage = await http(dashboardUrl, {
        ...call,
        headers: { ...headers, origin: 'https://evil.example' },
      })
      expect(fromPage.status).toBe(403)
      const withoutOrigin = await http(dashboardUrl, { ...call, headers })
      expect(withoutOrigin.status).toBe(401)
      const withToken = await http(dashboardUrl, { ...call, headers: { ...headers, ...bearer } })
      expect([withToken.status, codeOf(withToken)]).toEqual([415, 'unsupported_media_type'])
      expect((await rest('GET', '/connections')).body).toEqual([])
    },
  )

  test('a preflight gets no permission, nor does any other answer', async () => {
    const { dashboardUrl } = await cleanService()
    const preflight = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    for (const path of [
      '/',
      '/healthz',
      '/readyz',
      '/nope',
      '/session',
      '/rpc/connections/list',
      '/api/v1/connections',
      '/api/v1/openapi.json',
    ])
      for (const method of ['OPTIONS', 'GET', 'POST', 'HEAD'])
        for (const headers of [
          preflight,
          { ...bearer, origin: dashboardUrl },
          { origin: 'https://evil.example' },
        ]) {
          const answer = await http(dashboardUrl, { method, path, headers })
          expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))).toEqual([])
          if (method === 'OPTIONS') expect(answer.status).toBeGreaterThanOrEqual(400)
        }
  })
})

describe('every answer', () => {
  test.each([
    { path: '/', status: 200 },
    { path: '/healthz', status: 200 },
    { path: '/session', status: 200 },
    { path: '/session', method: 'POST', status: 401 },
    { path: '/session', method: 'DELETE', status: 403 },
    { path: '/rpc/connections/list', status: 401 },
    { path: '/rpc/connections/list', headers: { ...bearer, 'x-csrf-token': 'orpc' }, status: 400 },
    { path: '/rpc/nope', headers: bearer, status: 404 },
    { path: '/nope', status: 404 },
    { path: '/%zz', status: 404 },
    { path: `/${'x'.repeat(8000)}`, status: 404 },
    { path: '/api/v1/connections', status: 401 },
    { path: '/api/v1/connections', headers: bearer, status: 200 },
    { path: '/api/v1/nope', headers: bearer, status: 404 },
    { path: '/api/v1/openapi.json', headers: bearer, status: 200 },
    { path: '/', host: 'evil.example', status: 403 },
  ])(
    '($path: $status) is neither cached, sniffed, framed nor told to other sites',
    async ({ status, ...call }) => {
      const { dashboardUrl } = await cleanService()
      const answer = await http(dashboardUrl, call)
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      expect(answer.headers).not.toHaveProperty('x-powered-by')
      expect(answer.headers).not.toHaveProperty('set-cookie')
    },
  )
})

describe('/readyz', () => {
  test('says whether a load balancer may send requests, and why not', async () => {
    const opened = await startService()
    const { service, dashboardUrl } = opened
    const ask = async (url = dashboardUrl) => {
      const { status, headers, text } = await http(url, {
        path: '/readyz',
        headers: { connection: 'keep-alive' },
      })
      return [status, JSON.parse(text), headers.connection]
    }
    expect(await ask()).toEqual([200, { ready: true }, 'keep-alive'])
    const other = await startService({ parts: { unready: () => 'storage' } })
    expect(await ask(other.dashboardUrl)).toEqual([503, { ready: false, reason: 'storage' }, 'keep-alive'])
    service.drain()
    expect(await ask()).toEqual([503, { ready: false, reason: 'stopping' }, 'close'])
    expect((await http(dashboardUrl, { path: '/healthz' })).status).toBe(200)
  })
})

describe('/healthz', () => {
  test('is answered without a token', async () => {
    const { dashboardUrl } = await cleanService()
    const answer = await http(dashboardUrl, { path: '/healthz' })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toEqual({ ok: true, version })
  })

  test('looks once for all who ask at the same time, and again for those who ask later', async () => {
    const looks: ((health: Health) => void)[] = []
    const health = () => new Promise<Health>(resolve => void looks.push(resolve))
    const { service, log } = await cleanService()
    const app = await createDashboard({
      service: { ...service, health },
      ...{ logger: log.logger, token: adminToken, sessions: null },
      ...{ rendererFolder: null, hosts: null, tls: null, clock: Date.now, random: randomBytes },
    })
    onTestFinished(() => app.close())
    const ask = () => app.inject('/healthz')
    const askers = Array.from({ length: 20 }, ask)
    // Requests are taken in turn: once a later one has been answered, all twenty wait.
    await app.inject('/nope')
    expect(looks).toHaveLength(1)
    looks[0]?.({ ok: true, version })
    expect((await Promise.all(askers)).map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200))
    const later = ask()
    await app.inject('/nope')
    expect(looks).toHaveLength(2)
    looks[1]?.({ ok: false, version, refused: 'stored' })
    expect((await later).statusCode).toBe(503)
  })

  test('is 503 while the event log cannot be written', async () => {
    const fixture = await startService()
    // A dashboard of its own, since the fixture's stops with the service.
    const dashboard = await createDashboard({
      service: fixture.service,
      logger: fixture.log.logger,
      token: adminToken,
      sessions: null,
      rendererFolder: null,
      hosts: { listenHost: '127.0.0.1', allowed: [] },
      tls: null,
      clock: Date.now,
      random: randomBytes,
    })
    try {
      const url = await dashboard.listen({ host: '127.0.0.1', port: 0 })
      expect((await http(url, { path: '/healthz' })).status).toBe(200)
      await fixture.stop()
      const answer = await http(url, { path: '/healthz' })
      expect(answer.status).toBe(503)
      expect(JSON.parse(answer.text)).toEqual({ ok: false, version, refused: 'all', reason: 'stopping' })
      const rest = await http(url, { path: '/api/v1/health', headers: bearer })
      expect(JSON.parse(rest.text)).toEqual({ ok: false, version, refused: 'all', reason: 'stopping' })
    } finally {
      await dashboard.close()
    }
  })
})

describe('the two ports', () => {
  test('have nothing in common: REST is not on the inbound one, events are not on the dashboard’s', async () => {
    const { rest, listenerUrl, dashboardUrl } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
    for (const path of [
      '/',
      '/healthz',
      '/readyz',
      '/session',
      '/rpc/connections/list',
      '/api/v1',
      '/api/v1/connections',
      '/api/v1/openapi.json',
      '/mcp',
    ]) {
      const answer = await http(listenerUrl, { path, headers: bearer })
      expect(answer.status, path).toBe(404)
      expect(JSON.parse(answer.text)).toMatchObject({ ok: false, error: 'not_found' })
    }
    const inboundUrl = credentials.inboundUrl.replace(listenerUrl, dashboardUrl)
    const answer = await postInbound({ ...credentials, inboundUrl }, '{"event":"x"}')
    expect(answer).toMatchObject({ status: 404, body: { code: 'no_such_path' } })
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({ events: [] })
  })
})

test('a failure inside is logged, and its answer tells nothing of it', async () => {
  const reason = randomBytes(8).toString('hex')
  const fixture = await startService({ parts: { health: () => Promise.reject(new Error(reason)) } })
  const answer = await http(fixture.dashboardUrl, { path: '/healthz' })
  expect([answer.status, codeOf(answer)]).toEqual([500, 'internal_error'])
  expect(answer.text).not.toContain(reason)
  expect(fixture.log.text()).toContain(reason)
})
