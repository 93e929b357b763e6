import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowedHostNames, isAllowedHost, isAllowedOrigin } from '#main/http/allowed-hosts.ts'
import { sharedService, startService } from '../support/service-fixture.ts'
import { bearer, codeOf, http } from './http.ts'

const cleanService = sharedService()

describe('the Host header', () => {
  test('of a name that was made to resolve here is refused where there is data, before anything else', async () => {
    const { dashboardUrl } = await cleanService()
    for (const path of [
      '/',
      '/session',
      '/rpc/connections/list',
      '/api/v1/connections',
      '/api/v1/openapi.json',
      '/nope',
    ]) {
      for (const host of [
        'evil.example',
        'evil.example:8788',
        'localhost.evil.example',
        '169.254.169.254',
        '',
      ]) {
        const answer = await http(dashboardUrl, { path, host, headers: bearer })
        expect([path, host, answer.status, codeOf(answer)]).toEqual([path, host, 403, 'forbidden_host'])
      }
    }
  })

  test('of any name is answered where monitors and load balancers ask a node by its address', async () => {
    const { dashboardUrl } = await cleanService()
    for (const host of ['10.1.2.3:8788', 'evil.example', ''])
      for (const path of ['/healthz', '/readyz', '/readyz?x=/'])
        expect((await http(dashboardUrl, { path, host })).status, `${path} ${host}`).toBe(200)
    for (const path of ['/readyz/', '//readyz', '/readyz/../session', '/session?/readyz'])
      expect((await http(dashboardUrl, { path, host: 'evil.example' })).status, path).toBe(403)
  })

  test('of loopback is answered, whatever the port', async () => {
    const { dashboardUrl } = await cleanService()
    const { port } = new URL(dashboardUrl)
    for (const host of [
      'localhost',
      'LOCALHOST',
      '127.0.0.1',
      '[::1]',
      `localhost:${port}`,
      '127.0.0.1:1',
      '[::1]:65535',
    ])
      expect((await http(dashboardUrl, { host, headers: bearer })).status, host).toBe(200)
  })

  test('may be one given with --allowed-host', async () => {
    const hosts = {
      listenHost: '0.0.0.0',
      allowed: ['Dash.example.com', 'other.example:8788', '2001:db8::1'],
    }
    const { dashboardUrl } = await startService({ dashboard: { hosts } })
    for (const host of ['dash.example.com', 'DASH.example.com:443', 'other.example:1', '[2001:db8::1]:8788'])
      expect((await http(dashboardUrl, { host, headers: bearer })).status, host).toBe(200)
    for (const host of ['example.com', 'sub.dash.example.com', 'dash.example.com.', '0.0.0.0', '2001:db8::1'])
      expect((await http(dashboardUrl, { host, headers: bearer })).status, host).toBe(403)
  })

  test.each([
    { listenHost: '192.168.1.5', host: '192.168.1.5:8788', allowed: true },
    { listenHost: '::1', host: '[::1]:8788', allowed: true },
    { listenHost: 'fd00::7', host: '[FD00::7]', allowed: true },
    { listenHost: '0.0.0.0', host: '0.0.0.0', allowed: false },
    { listenHost: '::', host: '[::]', allowed: false },
    { listenHost: '127.0.0.1', host: '127.0.0.2', allowed: false },
    { listenHost: '127.0.0.1', host: '127.1', allowed: false },
    { listenHost: '127.0.0.1', host: '2130706433', allowed: false },
    { listenHost: '127.0.0.1', host: undefined, allowed: false },
    { listenHost: '127.0.0.1', host: 'localhost:', allowed: false },
    { listenHost: '127.0.0.1', host: 'localhost:123456', allowed: false },
    { listenHost: '127.0.0.1', host: 'user@localhost', allowed: false },
    { listenHost: '127.0.0.1', host: 'localhost/x', allowed: false },
    { listenHost: '127.0.0.1', host: 'localhost, evil.example', allowed: false },
    { listenHost: '127.0.0.1', host: '[::ffff:127.0.0.1]', allowed: false },
  ])('$host is allowed: $allowed, when listening on $listenHost', ({ listenHost, host, allowed }) => {
    expect(isAllowedHost(host, allowedHostNames(listenHost, []))).toBe(allowed)
  })

  test('never passes that is not one of the names with a port or without', () => {
    const names = allowedHostNames('127.0.0.1', ['dash.example.com'])
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webAuthority(), fc.domain()), host => {
        const bare = host.toLowerCase().replace(/:\d{1,5}$/, '')
        expect(isAllowedHost(host, names)).toBe(names.has(bare))
      }),
    )
  })
})

describe('the Origin header', () => {
  test.each([
    'https://evil.example',
    'http://localhost:1',
    'http://127.0.0.1',
    'null',
    '',
    'file://',
    'chrome-extension://abcdef',
    'http://localhost:8788.evil.example',
  ])('%s of another page is refused, with the token too', async origin => {
    const { dashboardUrl } = await cleanService()
    for (const [method, path] of [
      ['GET', '/api/v1/connections'],
      ['POST', '/api/v1/connections'],
      ['OPTIONS', '/api/v1/connections'],
      ['GET', '/healthz'],
      ['GET', '/session'],
      ['POST', '/session'],
      ['DELETE', '/session'],
      ['POST', '/rpc/connections/list'],
    ] as const) {
      const answer = await http(dashboardUrl, { method, path, headers: { ...bearer, origin } })
      expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden_origin'])
    }
  })

  test('of the very page that the request goes to passes', async () => {
    const { dashboardUrl } = await cleanService()
    expect((await http(dashboardUrl, { headers: { ...bearer, origin: dashboardUrl } })).status).toBe(200)
    const { port } = new URL(dashboardUrl)
    const other = `http://localhost:${port}`
    expect((await http(dashboardUrl, { headers: { ...bearer, origin: other } })).status).toBe(403)
    expect(
      (await http(dashboardUrl, { host: `localhost:${port}`, headers: { ...bearer, origin: other } })).status,
    ).toBe(200)
  })

  test.each([
    ['http://localhost:8788', 'localhost:8788', true],
    ['https://Dash.example.com', 'dash.example.com', true],
    ['http://[::1]:8788', '[::1]:8788', true],
    ['http://localhost:8788/', 'localhost:8788', false],
    ['http://localhost:8788@evil.example', 'localhost:8788', false],
    ['ftp://localhost:8788', 'localhost:8788', false],
    [undefined, 'localhost:8788', true],
  ])('%s against Host %s: %s', (origin, host, allowed) => {
    expect(isAllowedOrigin(origin, host)).toBe(allowed)
  })
})
