import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAttemptLimit } from '#main/http/authorization.ts'
import { adminToken, openService, type ServiceFixture, startService } from '../support/service-fixture.ts'
import { codeOf, type HttpCall, http } from './http.ts'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await openService()
})
afterAll(() => fixture.close())

const restPaths = [
  '/api/v1',
  '/api/v1/',
  '/api/v1/connections',
  '/api/v1/openapi.json',
  '/api/v1/activity',
  '/api/v1/nope',
]

async function expectRefusal(call: HttpCall): Promise<void> {
  const answer = await http(fixture.dashboardUrl, call)
  expect({
    ...call,
    status: answer.status,
    code: codeOf(answer),
    scheme: answer.headers['www-authenticate'],
  }).toEqual({
    ...call,
    status: 401,
    code: 'unauthorized',
    scheme: 'Bearer',
  })
}

describe('the admin token', () => {
  test.each(restPaths)('is asked for at %s, on loopback too', async path => {
    await expectRefusal({ path })
    await expectRefusal({
      path,
      method: 'POST',
      body: '{"name":"x"}',
      headers: { 'content-type': 'application/json' },
    })
    await expectRefusal({ path, method: 'OPTIONS' })
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    `Bearer ${adminToken}x`,
    `Bearer ${adminToken.slice(0, -1)}`,
    `Bearer ${adminToken.toUpperCase()}`,
    `Bearer ${adminToken} x`,
    `Basic ${adminToken}`,
    `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}`,
    adminToken,
    `Token ${adminToken}`,
  ])('is not %s', async authorization => {
    await expectRefusal({ headers: { authorization } })
  })

  test.each([`Bearer ${adminToken}`, `bearer ${adminToken}`, `Bearer   ${adminToken}  `])(
    'is %s',
    async authorization => {
      expect((await http(fixture.dashboardUrl, { headers: { authorization } })).status).toBe(200)
    },
  )

  test.each([
    `?token=${adminToken}`,
    `?access_token=${adminToken}`,
    `?authorization=Bearer%20${adminToken}`,
    `?adminToken=${adminToken}`,
  ])('is not taken from a query string (%s)', async query => {
    await expectRefusal({ path: `/api/v1/connections${query}` })
  })

  test.each([
    { cookie: `token=${adminToken}` },
    { 'x-api-key': adminToken },
    { 'x-admin-token': adminToken },
  ])('is not taken from %o', async headers => {
    await expectRefusal({ headers })
  })

  test.each([
    '/%61pi/v1/openapi.json',
    '/api/%76%31/connections',
    '/api%2fv1/openapi.json',
    '//api/v1/openapi.json',
    '/api/v1//connections',
    '/api/v1/../v1/connections',
    '/./api/v1/connections',
    '/healthz/../api/v1/connections',
    '/API/v1/connections',
    '/api/v1;x/connections',
    '/api/v1%00/connections',
    'http://127.0.0.1/api/v1/connections',
    'https://../api/v1/openapi.json',
    'http://localhost/%61pi/v1/openapi.json',
  ])('is not got round by writing the path as %s', async path => {
    const { status, text } = await http(fixture.dashboardUrl, { path })
    expect([401, 404]).toContain(status)
    expect(text).not.toContain('paths')
  })
})

describe('wrong tokens', () => {
  const guess = { authorization: 'Bearer wrong' }
  const ways: HttpCall[] = [
    { path: '/api/v1/connections', headers: guess },
    { path: '/api/v1/backup', method: 'POST', headers: guess },
    { path: '/session', headers: guess },
    { path: '/session', method: 'POST', headers: guess },
    { path: '/rpc/connections/list', method: 'POST', headers: guess },
    { path: '/download/backup', method: 'POST', headers: guess },
  ]

  test('are refused with 429 past 20 a minute, by whichever way, and the right one never is', async () => {
    const { dashboardUrl, clock, log } = await startService()
    for (let count = 0; count < 20; count++) {
      const answer = await http(dashboardUrl, ways[count % ways.length])
      expect([count, answer.status]).toEqual([count, 401])
    }
    clock.now += 20_000
    for (const way of ways) {
      const answer = await http(dashboardUrl, way)
      expect([way.path, answer.status, answer.headers['retry-after']]).toEqual([way.path, 429, '40'])
      expect(answer.text).toContain('too_many_attempts')
      expect(answer.text).toContain('The right token is still accepted')
    }
    const right = { authorization: `Bearer ${adminToken}` }
    expect((await http(dashboardUrl, { path: '/api/v1/connections', headers: right })).status).toBe(200)
    expect((await http(dashboardUrl, { path: '/session', method: 'POST', headers: right })).status).toBe(200)
    // Who presents no token makes no attempt, and a proxy's own password is none either.
    for (const headers of [{}, { authorization: 'Basic cHJveHk6cHc=' }])
      expect((await http(dashboardUrl, { path: '/api/v1/connections', headers })).status).toBe(401)
    const warnings = log.lines.filter(({ level }) => level === 'warn')
    expect(warnings).toMatchObject([{ fields: { address: '127.0.0.1' } }])
    clock.now += 40_000
    expect((await http(dashboardUrl, ways[0])).status).toBe(401)
  })

  test('are counted for each address by itself, and for at most 1000 of them', () => {
    const clock = { now: 0 }
    const limit = createAttemptLimit(() => clock.now)
    const isOver = (address: string) => limit.count(address).isOver
    const tries = (address: string, count: number) => Array.from({ length: count }, () => isOver(address))
    expect(tries('a', 21)).toEqual([...Array(20).fill(false), true])
    expect(isOver('b')).toBe(false)
    for (let other = 0; other < 998; other++) limit.count(`other ${other}`)
    expect(isOver('a')).toBe(true)
    limit.count('one too many')
    expect(isOver('a')).toBe(false)
  })

  test('are counted again from the start when the clock is set back', () => {
    const clock = { now: 1_000_000 }
    const limit = createAttemptLimit(() => clock.now)
    for (let count = 0; count < 30; count++) limit.count('a')
    clock.now = 0
    expect(limit.count('a')).toMatchObject({ isOver: false, retryAfterSeconds: 60 })
  })
})
